// Package policies holds the policy packs and the capability catalogs that
// sallyport brings along: Rego and plain tables, embedded in the binary.
package policies

import "embed"

// FS holds one directory for each pack, and catalog/.
//
//go:embed baseline strict data-science observe catalog
var FS embed.FS
