package main

import (
	"cmp"
	"encoding/json"
	"path/filepath"
)

// npm makes the package for npm, and its name. There is no JavaScript in it: what
// npm links is the program itself, which is why each architecture has a package.
func (r release) npm(notices, sbom []byte) (name string, data []byte, err error) {
	m, err := r.machine()
	if err != nil {
		return "", nil, err
	}
	called := "sallyport-linux-" + m.npm
	about, err := json.MarshalIndent(struct {
		Name        string            `json:"name"`
		Version     string            `json:"version"`
		Description string            `json:"description"`
		License     string            `json:"license"`
		Bin         map[string]string `json:"bin"`
		OS          []string          `json:"os"`
		CPU         []string          `json:"cpu"`
	}{called, r.version, "Runs code that AI agents write, judged by policy, in a sandbox", "Apache-2.0",
		map[string]string{"sallyport": "bin/sallyport"}, []string{"linux"}, []string{m.npm}}, "", "  ")
	if err != nil {
		return "", nil, err
	}
	t := newTree("package")
	for _, p := range programs() {
		t.copy("bin/"+p, filepath.Join(r.bin, p), 0o755)
	}
	t.add("package.json", append(about, '\n'), 0o644)
	t.copy("LICENSE", filepath.Join(r.root, "LICENSE"), 0o644)
	t.add("THIRD-PARTY-LICENSES.txt", notices, 0o644)
	t.add("sallyport.spdx.json", sbom, 0o644)
	data, err = tarGz("", t.files, r.time)
	return called + "-" + r.version + ".tgz", data, cmp.Or(t.err, err)
}
