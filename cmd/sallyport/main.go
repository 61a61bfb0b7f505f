// Sallyport runs code that an AI agent wrote: first it is judged by policy, then
// it runs in a sandbox without network, within hard limits.
//
// Its verbs, as sallyport --help has them:
//
//	check       Judge programs by policy; nothing runs
//	explain     Say which rules fired or almost fired on a program, and on what
//	facts       Print what rules see of a program
//	run         Judge a program and, if policy allows it, run it in the sandbox
//
//	init        Add sallyport to the configuration of an AI agent's client
//	mcp         Serve an AI agent over STDIO (Model Context Protocol)
//	serve       Serve many over HTTP, each by a verified identity
//	approvals   Answer what others want to run at a service
//
//	config      Check sallyport.yaml, show what is in force, or print its schema
//	env         List the environments of programs, and install their packages
//	policy      Look at policies, write, test, compare and ship them
//
//	audit       Read, verify and export the record of every decision
//	doctor      Examine this installation and try to escape from its sandbox
//	version     Print the versions of sallyport and of what it is made of
//
//	completion  Write the script that completes words for a shell
//	help        Help about a command or a topic
//
// Its exit codes, the same for every output format:
//
//	  0  allowed; the program ran and exited with 0
//	  1  sallyport itself failed: nothing can be said about the program
//	  2  wrong usage: flags, arguments, a file that cannot be read
//	  3  denied: at least one program may not run
//	  4  the program failed, timed out, hit a limit or was killed
//	  5  a policy failed its tests, or lint found something to mend
//	130  interrupted (Ctrl-C); nothing is left running
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
}
