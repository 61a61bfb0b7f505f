package runner

import _ "embed"

//go:embed hook_arm64.so
var hook string
