package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode"
)

// component is something that is inside of one binary or several.
type component struct {
	name, version string
	sum           string // of go.sum
	licence       licence
	in            []string // names of the binaries
}

// components are the parts of a release: its binaries with their digests, and
// what is linked into them.
type components struct {
	digests map[string]string // of the binaries
	parts   []component
}

// components reads what the binaries say of themselves.
func (r release) components() (components, error) {
	c := components{digests: map[string]string{}}
	cache, err := moduleCache()
	if err != nil {
		return c, err
	}
	root, err := goRoot()
	if err != nil {
		return c, err
	}
	parts := map[string]*component{}
	note := func(name, version, sum, binary, dir string) {
		key := name + "@" + version
		if parts[key] == nil {
			parts[key] = &component{name: name, version: version, sum: sum, licence: licenceOf(dir)}
		}
		parts[key].in = append(parts[key].in, binary)
	}
	for _, p := range programs() {
		file := filepath.Join(r.bin, p)
		data, err := os.ReadFile(file)
		if err != nil {
			return c, err
		}
		c.digests[p] = fmt.Sprintf("%x", sha256.Sum256(data))
		info, err := buildinfo.ReadFile(file)
		if err != nil {
			return c, fmt.Errorf("reading what %s is made of: %w", file, err)
		}
		note("stdlib", strings.TrimPrefix(info.GoVersion, "go"), "", p, root)
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			note(m.Path, m.Version, m.Sum, p, filepath.Join(cache, escaped(m)))
		}
	}
	if r.libc != "" {
		parts["glibc"] = &component{name: "glibc", version: r.libc, licence: licence{id: "LGPL-2.1-or-later", text: glibcNotice}, in: []string{"sallyport"}}
	}
	for _, key := range slices.Sorted(maps.Keys(parts)) {
		c.parts = append(c.parts, *parts[key])
	}
	return c, nil
}

const glibcNotice = `Parts of the GNU C Library are linked into the program sallyport, under the GNU
Lesser General Public License, version 2.1 or later. The complete sources of
sallyport are published, so that it can be linked with another version: make dist.
`

// escaped is the path of a module in the cache: a capital letter is written as
// ! and the small one.
func escaped(m *debug.Module) string {
	var b strings.Builder
	for _, c := range m.Path + "@" + m.Version {
		if unicode.IsUpper(c) {
			b.WriteByte('!')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// The part of SPDX 2.3 that is used here.
type (
	spdxDocument struct {
		Version       string             `json:"spdxVersion"`
		License       string             `json:"dataLicense"`
		ID            string             `json:"SPDXID"`
		Name          string             `json:"name"`
		Namespace     string             `json:"documentNamespace"`
		Creation      spdxCreation       `json:"creationInfo"`
		Describes     []string           `json:"documentDescribes"`
		Packages      []spdxPackage      `json:"packages"`
		Relationships []spdxRelationship `json:"relationships"`
	}
	spdxCreation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}
	spdxPackage struct {
		ID        string         `json:"SPDXID"`
		Name      string         `json:"name"`
		Version   string         `json:"versionInfo"`
		Location  string         `json:"downloadLocation"`
		Analyzed  bool           `json:"filesAnalyzed"`
		Concluded string         `json:"licenseConcluded"`
		Declared  string         `json:"licenseDeclared"`
		Copyright string         `json:"copyrightText"`
		Source    string         `json:"sourceInfo,omitempty"`
		Checksums []spdxChecksum `json:"checksums,omitempty"`
		Refs      []spdxRef      `json:"externalRefs,omitempty"`
		Purpose   string         `json:"primaryPackagePurpose"`
	}
	spdxChecksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	spdxRef struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	spdxRelationship struct {
		From string `json:"spdxElementId"`
		Type string `json:"relationshipType"`
		To   string `json:"relatedSpdxElement"`
	}
)

const noAssertion = "NOASSERTION"

// sbom is the bill of materials in SPDX 2.3.
func (r release) sbom(name string, c components) ([]byte, error) {
	d := spdxDocument{
		Version: "SPDX-2.3", License: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: name,
		Namespace: "urn:sallyport:" + r.version + ":" + r.arch + ":" + c.digests["sallyport"],
		Creation:  spdxCreation{Created: r.time.Format(time.RFC3339), Creators: []string{"Tool: sallyport-release"}},
	}
	relate := func(from, kind, to string) {
		d.Relationships = append(d.Relationships, spdxRelationship{from, kind, to})
	}
	for _, p := range programs() {
		d.Describes = append(d.Describes, spdxID(p))
		d.Packages = append(d.Packages, spdxPackage{
			ID: spdxID(p), Name: p, Version: r.version, Location: noAssertion, Concluded: "Apache-2.0", Declared: "Apache-2.0",
			Copyright: noAssertion, Checksums: []spdxChecksum{{"SHA256", c.digests[p]}}, Purpose: "APPLICATION",
		})
		relate("SPDXRef-DOCUMENT", "DESCRIBES", spdxID(p))
	}
	for _, part := range c.parts {
		id := spdxID(part.name + "-" + part.version)
		p := spdxPackage{
			ID: id, Name: part.name, Version: part.version, Location: noAssertion, Concluded: noAssertion, Declared: part.licence.id,
			Copyright: noAssertion, Purpose: "LIBRARY",
			Refs: []spdxRef{{"PACKAGE-MANAGER", "purl", purl(part)}},
		}
		if part.sum != "" {
			p.Source = "go.sum: " + part.sum
		}
		d.Packages = append(d.Packages, p)
		for _, binary := range part.in {
			relate(spdxID(binary), "STATIC_LINK", id)
		}
	}
	out, err := json.MarshalIndent(d, "", "  ")
	return append(out, '\n'), err
}

func purl(c component) string {
	if c.name == "glibc" {
		return "pkg:generic/glibc@" + c.version
	}
	return "pkg:golang/" + strings.ToLower(c.name) + "@" + strings.ReplaceAll(c.version, "+", "%2B")
}

// spdxID makes an identifier of letters, digits, dots and hyphens.
func spdxID(s string) string {
	return "SPDXRef-" + strings.Map(func(c rune) rune {
		if c < 128 && (unicode.IsLetter(c) || unicode.IsDigit(c) || c == '.' || c == '-') {
			return c
		}
		return '-'
	}, s)
}
