package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// licence is what a module says of its licence.
type licence struct {
	id   string // of SPDX, or NOASSERTION
	text string // of its files
}

// licenceOf reads the licence files of a module.
func licenceOf(dir string) licence {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return licence{id: noAssertion}
	}
	var ids []string
	var texts []string
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if !e.Type().IsRegular() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") && !strings.HasPrefix(name, "NOTICE") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		texts = append(texts, string(b))
		if !strings.HasPrefix(name, "NOTICE") {
			ids = append(ids, classify(string(b))...)
		}
	}
	l := licence{id: noAssertion, text: strings.Join(texts, "\n")}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) > 0 {
		l.id = strings.Join(ids, " AND ")
	}
	return l
}

// classify knows a licence by a sentence of its own.
func classify(text string) []string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	has := func(s string) bool { return strings.Contains(text, s) }
	var ids []string
	if has("apache license") && has("version 2.0") {
		ids = append(ids, "Apache-2.0")
	}
	if has("mozilla public license") && has("version 2.0") {
		ids = append(ids, "MPL-2.0")
	}
	if has("permission is hereby granted, free of charge") {
		ids = append(ids, "MIT")
	}
	if has("permission to use, copy, modify, and distribute this software") || has("permission to use, copy, modify, and/or distribute this software") {
		ids = append(ids, "ISC")
	}
	if has("redistribution and use in source and binary forms") {
		if has("neither the name") || has("nor the names of") || has("may not be used to endorse") {
			ids = append(ids, "BSD-3-Clause")
		} else {
			ids = append(ids, "BSD-2-Clause")
		}
	}
	return ids
}

// notices is the text that goes with the binaries: every part and its licence.
func (c components) notices() []byte {
	var b bytes.Buffer
	b.WriteString("What is linked into the programs of sallyport, and under which licences.\n")
	for _, p := range c.parts {
		fmt.Fprintf(&b, "\n%s\n%s %s (%s), in %s\n\n", strings.Repeat("=", 80), p.name, p.version, p.licence.id, strings.Join(p.in, ", "))
		b.WriteString(strings.TrimSpace(p.licence.text) + "\n")
	}
	return b.Bytes()
}
