package policy

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

//go:embed rego/decision.rego
var decisionModule string

// ErrNoRules is wrapped by the error of New when there is nothing to decide by.
var ErrNoRules = errors.New("no policy rules")

// rulesPrefix is where rules live: data.sallyport.rules.NAME.
const rulesPrefix = "data.sallyport.rules."

// maxFileBytes bounds one file of a policy.
const maxFileBytes = 4 << 20

// loaded is what New reads before it compiles.
type loaded struct {
	modules map[string]*ast.Module // by file name
	catalog *catalog
	packs   []string
	digest  string
}

func load(opts Options) (loaded, error) {
	if opts.FS == nil || len(opts.Packs) == 0 {
		return loaded{}, fmt.Errorf("%w: name at least one pack", ErrNoRules)
	}
	l := loaded{modules: map[string]*ast.Module{}}
	sum := sha256.New()
	add := func(name, text string) error {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
		m, err := parse(name, text)
		if err != nil {
			return err
		}
		l.modules[name] = m
		return nil
	}
	if err := add("sallyport/decision.rego", decisionModule); err != nil {
		return loaded{}, err
	}
	for _, pack := range slices.Sorted(slices.Values(opts.Packs)) {
		if slices.Contains(l.packs, pack) {
			continue
		}
		files, err := regoFiles(opts.FS, pack)
		if err != nil {
			return loaded{}, err
		}
		for _, f := range files {
			if err := add(f.name, f.text); err != nil {
				return loaded{}, err
			}
		}
		l.packs = append(l.packs, pack)
	}
	c, err := loadCatalog(opts.FS, sum)
	if err != nil {
		return loaded{}, err
	}
	l.catalog, l.digest = c, "sha256:"+hex.EncodeToString(sum.Sum(nil))
	return l, nil
}

type file struct{ name, text string }

// regoFiles returns the modules of a pack without their tests.
func regoFiles(fsys fs.FS, pack string) ([]file, error) {
	if !fs.ValidPath(pack) || strings.Contains(pack, "/") || pack == "." {
		return nil, fmt.Errorf("unknown policy pack %q", pack)
	}
	entries, err := fs.ReadDir(fsys, pack)
	if err != nil {
		return nil, fmt.Errorf("unknown policy pack %q", pack)
	}
	var files []file
	for _, e := range entries {
		if path.Ext(e.Name()) != ".rego" || strings.HasSuffix(e.Name(), "_test.rego") {
			continue
		}
		text, err := fs.ReadFile(fsys, path.Join(pack, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("reading policy pack %q: %v", pack, err)
		}
		if len(text) > maxFileBytes {
			return nil, fmt.Errorf("%s/%s: larger than %d bytes", pack, e.Name(), maxFileBytes)
		}
		files = append(files, file{path.Join(pack, e.Name()), string(text)})
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%w: policy pack %q is empty", ErrNoRules, pack)
	}
	return files, nil
}

func parse(name, text string) (*ast.Module, error) {
	m, err := ast.ParseModuleWithOpts(name, text, ast.ParserOptions{
		ProcessAnnotation: true, RegoVersion: ast.RegoV1, Capabilities: capabilities(),
	})
	if err != nil {
		return nil, fmt.Errorf("parsing %s: %v", name, err)
	}
	if m == nil {
		return nil, fmt.Errorf("parsing %s: the file is empty", name)
	}
	return m, nil
}
