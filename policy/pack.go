package policy

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"sallyport/internal/hint"
)

// PackInfo is what a pack says about itself, in the METADATA of its package:
//
//	# METADATA
//	# title: Observe
//	# custom:
//	#   includes: [baseline]
//	#   at_most: log
//	package sallyport.rules.observe
type PackInfo struct {
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Includes    []string `json:"includes,omitempty"` // packs whose rules it has too
	AtMost      Action   `json:"at_most,omitempty"`  // the strictest action its rules may take
}

// Packs returns the packs of fsys, by name.
func Packs(fsys fs.FS) ([]PackInfo, error) {
	var out []PackInfo
	for _, name := range PackNames(fsys) {
		p, err := readPack(fsys, name)
		if err != nil {
			return nil, err
		}
		out = append(out, p.PackInfo)
	}
	return out, nil
}

// pack is a PackInfo with its modules.
type pack struct {
	PackInfo
	files   []file
	modules []*ast.Module
}

// readPack reads one pack. An unknown name is an error with a suggestion.
func readPack(fsys fs.FS, name string) (pack, error) {
	p := pack{PackInfo: PackInfo{Name: name}}
	entries, err := fs.ReadDir(fsys, name)
	if err != nil || strings.ContainsAny(name, "/.") || name == catalogDir {
		return pack{}, unknownPack(fsys, name)
	}
	for _, e := range entries {
		if path.Ext(e.Name()) != ".rego" || strings.HasSuffix(e.Name(), "_test.rego") {
			continue
		}
		f, err := readFile(fsys, path.Join(name, e.Name()), "")
		if err != nil {
			return pack{}, err
		}
		m, err := parse(f)
		if err != nil {
			return pack{}, err
		}
		p.files, p.modules = append(p.files, f), append(p.modules, m)
		if err := p.describe(m); err != nil {
			return pack{}, err
		}
	}
	if len(p.files) == 0 {
		return pack{}, fmt.Errorf("%w: policy pack %q is empty", ErrNoRules, name)
	}
	return p, nil
}

// describe takes what a module says about the pack as a whole.
func (p *pack) describe(m *ast.Module) error {
	if name, _, ok := rulesPackage(m); !ok || name != p.Name {
		return issueAt(m.Package.Loc(), "", "%s is not package sallyport.rules.%s", m.Package, p.Name)
	}
	for _, a := range m.Annotations {
		if a.Scope != "package" {
			continue
		}
		p.Title, p.Description = a.Title, strings.TrimSpace(a.Description)
		if atMost, ok := a.Custom["at_most"]; ok {
			p.AtMost = Action(fmt.Sprint(atMost))
			if !slices.Contains(verbs, p.AtMost) {
				return issueAt(a.Loc(), "", "custom.at_most is %q, want one of %v", p.AtMost, verbs)
			}
		}
		includes, _ := a.Custom["includes"].([]any)
		for _, i := range includes {
			p.Includes = append(p.Includes, fmt.Sprint(i))
		}
	}
	return nil
}

// PackNames lists the packs of fsys without reading them.
func PackNames(fsys fs.FS) []string {
	if fsys == nil {
		return nil
	}
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != catalogDir {
			names = append(names, e.Name())
		}
	}
	return names
}

func unknownPack(fsys fs.FS, name string) error {
	names := PackNames(fsys)
	if best := hint.Nearest(name, names); best != "" {
		return fmt.Errorf("unknown policy pack %q; did you mean %q?", name, best)
	}
	return fmt.Errorf("unknown policy pack %q; there are %s", name, strings.Join(names, ", "))
}

// expand returns the named packs and all that they include, in order of name,
// and for each the strictest action its rules may take: of the ways in which a
// pack is named, the strictest one counts.
func expand(fsys fs.FS, names []string) ([]pack, map[string]Action, error) {
	packs, atMost := map[string]pack{}, map[string]Action{}
	var visit func(name string, limit Action, via []string) error
	visit = func(name string, limit Action, via []string) error {
		if slices.Contains(via, name) {
			return fmt.Errorf("policy pack %q includes itself", name)
		}
		p, ok := packs[name]
		if !ok {
			var err error
			if p, err = readPack(fsys, name); err != nil {
				return err
			}
			packs[name] = p
		}
		if p.AtMost != "" {
			limit = milder(limit, p.AtMost)
		}
		if old, ok := atMost[name]; !ok || strictness(limit) > strictness(old) {
			atMost[name] = limit
		}
		for _, i := range p.Includes {
			if err := visit(i, limit, append(slices.Clone(via), name)); err != nil {
				return err
			}
		}
		return nil
	}
	for _, name := range names {
		if err := visit(name, ActionDeny, nil); err != nil {
			return nil, nil, &OptionError{"packs", name, err}
		}
	}
	var out []pack
	for _, p := range packs {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b pack) int { return strings.Compare(a.Name, b.Name) })
	return out, atMost, nil
}

// strictness orders actions; an unknown one is the strictest.
func strictness(a Action) int {
	switch a {
	case ActionLog:
		return 0
	case ActionWarn:
		return 1
	case ActionAsk:
		return 2
	}
	return 3
}

func milder(a, b Action) Action {
	if strictness(a) < strictness(b) {
		return a
	}
	return b
}
