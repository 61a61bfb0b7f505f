package runner

import _ "embed"

//go:embed hook_amd64.so
var hook string
