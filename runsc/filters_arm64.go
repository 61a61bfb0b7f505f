package main

import _ "embed"

// compiled is what the command filters printed.
//
//go:embed filters_arm64.json
var compiled []byte
