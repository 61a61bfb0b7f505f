// Package trust says whether somebody else could change a file that decides:
// the configuration, policies, keys and tokens, and the programs that are started.
package trust
