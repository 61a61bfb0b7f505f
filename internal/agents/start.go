package agents

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"sallyport/internal/hint"
)

// Where uvx and npx keep what they start: in a cache, from which it vanishes.
var (
	uvCache  = regexp.MustCompile(`^(.*/archive-v[0-9]+/[^/]+)/bin/[^/]+$`)
	npxCache = regexp.MustCompile(`^(.*/_npx/[^/]+)/node_modules/((?:@[^/]+/)?[^/]+)/bin/[^/]+$`)
)

// Start is how a client starts the program at self: by its path, or by uvx or npx
// where these brought it, from the package that they were given.
func Start(self string) (command string, args []string, err error) {
	var from string
	if m := uvCache.FindStringSubmatch(self); m != nil {
		command, args = "uvx", []string{"--from"}
		from, err = ofUV(m[1])
	} else if m := npxCache.FindStringSubmatch(self); m != nil {
		command, args = "npx", []string{"--yes", "--package"}
		from, err = ofNPX(m[1], m[2])
	} else {
		return self, nil, nil
	}
	if err == nil && filepath.IsAbs(from) {
		_, err = os.Stat(from)
	}
	if err != nil {
		return "", nil, hint.New(err, "install it where it stays: uv tool install PACKAGE, npm install --global PACKAGE",
			"%s started this program from its cache, and what it was given is not known or gone", command)
	}
	return command, append(args, from, "sallyport"), nil
}

// ofUV is the package of an environment: a file or an address, which PEP 610 has
// written down, else its name.
func ofUV(dir string) (string, error) {
	notes, err := filepath.Glob(filepath.Join(dir, "lib/python*/site-packages/sallyport-*.dist-info"))
	if err != nil || len(notes) != 1 {
		return "", errors.Join(errors.New("no package sallyport in its environment"), err)
	}
	b, err := os.ReadFile(filepath.Join(notes[0], "direct_url.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return "sallyport", nil
	}
	var direct struct {
		URL string `json:"url"`
	}
	if err == nil {
		err = json.Unmarshal(b, &direct)
	}
	if err != nil {
		return "", err
	}
	if u, err := url.Parse(direct.URL); err == nil && u.Scheme == "file" {
		return u.Path, nil
	}
	return direct.URL, nil
}

// ofNPX is the package in a directory of npx's: a file or an address, else its name.
func ofNPX(dir, name string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return "", err
	}
	var made struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := json.Unmarshal(b, &made); err != nil {
		return "", err
	}
	from, ok := made.Dependencies[name]
	file, isFile := strings.CutPrefix(from, "file:")
	switch {
	case !ok:
		return "", errors.New("its package.json does not name " + name)
	case isFile && filepath.IsAbs(file):
		return file, nil
	case isFile:
		return filepath.Join(dir, file), nil
	case strings.Contains(from, "://"):
		return from, nil
	}
	return name, nil
}
