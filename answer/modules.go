package answer

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sallyport/gate"
	"sallyport/policy"
)

// Environment describes one of the operator's environments to callers.
type Environment struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Languages   []string `json:"languages,omitempty"` // none named: all of them
	Packages    []string `json:"packages,omitempty"`  // numpy==2.1.0, or lodash@4.17.21
	Reaches     []string `json:"reaches,omitempty"`   // hosts, with methods and paths; nothing else can be reached
}

// The languages that programs run in, as gate names them.
const (
	python     = "python"
	javaScript = "javascript"
)

// Environments are the operator's, as callers are told of them. The default one
// is there in any case.
type Environments []Environment

// NewEnvironments describes those of a gate.
func NewEnvironments(all map[string]gate.Environment) Environments {
	var out Environments
	for _, name := range slices.Sorted(maps.Keys(all)) {
		env := Environment{Name: name, Description: all[name].Description, Packages: all[name].Packages}
		if all[name].Has(python) {
			env.Languages = append(env.Languages, python)
		}
		if all[name].Has(javaScript) {
			env.Languages = append(env.Languages, javaScript)
		}
		if out := all[name].Egress; out != nil {
			env.Reaches = out.Allowed()
		}
		out = append(out, env)
	}
	return out
}

// Of returns those that have a language, the default one first; "" asks for all.
func (all Environments) Of(language string) Environments {
	isDefault := func(e Environment) bool { return e.Name == "default" }
	first := Environment{Name: "default", Languages: []string{python, javaScript}}
	if i := slices.IndexFunc(all, isDefault); i >= 0 {
		first = all[i]
	}
	if names, _ := first.packages(language); first.Description == "" && len(names) > 0 {
		first.Description = "the language and its standard library"
	} else if first.Description == "" { // nobody has said what is installed
		first.Description = "the standard library, and whatever else its interpreter has installed"
	}
	out := append(Environments{first}, slices.DeleteFunc(slices.Clone(all), isDefault)...)
	return slices.DeleteFunc(out, func(e Environment) bool {
		return language != "" && len(e.Languages) > 0 && !slices.Contains(e.Languages, language)
	})
}

// packages are those of a language, by their names and versions.
func (e Environment) packages(language string) (names, versions []string) {
	sign := "=="
	if language == javaScript {
		sign = "@"
	}
	for _, p := range e.Packages {
		if i := strings.LastIndex(p, sign); i > 0 && (sign == "==" || !strings.Contains(p, "==")) {
			names, versions = append(names, p[:i]), append(versions, p[i+len(sign):])
		}
	}
	return names, versions
}

// How much InShort says.
const (
	maxPackagesShown    = 6
	maxDescriptionShown = 80
)

// InShort says in a sentence what an environment is for, and what is in it: the
// packages that its description names go first.
func (e Environment) InShort(language string) string {
	names, versions := e.packages(language)
	var first, rest []string
	for i, name := range names {
		if p := name + " " + versions[i]; strings.Contains(strings.ToLower(e.Description), strings.ToLower(name)) {
			first = append(first, p)
		} else {
			rest = append(rest, p)
		}
	}
	shown := append(first, rest...)
	if more := len(shown) - maxPackagesShown; more > 0 {
		shown = append(shown[:maxPackagesShown:maxPackagesShown], fmt.Sprintf("%d more", more))
	}
	parts := []string{Clip(Visible(OneLine(e.Description)), maxDescriptionShown), Visible(strings.Join(shown, ", "))}
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	if len(parts) == 0 {
		return e.Name + "."
	}
	return e.Name + ": " + strings.TrimRight(strings.Join(parts, "; "), ".") + "."
}

var (
	missingPython = regexp.MustCompile(`(?m)^ModuleNotFoundError: No module named '([A-Za-z0-9_.]+)'`)
	missingNode   = regexp.MustCompile(`(?m)^(?:Uncaught )?(?:\w+ )*(?:Error|Error \[\w+\]): Cannot find (?:module|package) '([^'./\n][^'\n]*)'`)
	missingFile   = regexp.MustCompile(`(?m)^(?:Uncaught )?(?:FileNotFoundError: \[Errno 2\] No such file or directory: '(?:/workspace/)?|Error: ENOENT: no such file or directory, \w+ '(?:/workspace/)?|Error: Cannot find module '\./)([^/'\n][^'\n]*)'`)
	endOfInput    = regexp.MustCompile(`(?m)^EOFError: EOF when reading a line\n?\z`)
	installing    = regexp.MustCompile(`\b(?:pip3?|npm|yarn|pnpm|uv)["'\s,]+(?:install|add|i)\b["'\s,]+((?:--?[\w-]+["'\s,]+)*)([A-Za-z@][A-Za-z0-9@/_.-]*)`)
)

// Advise gives an answer its hint: about a module that the program did not find,
// or that it wanted to install and was denied, where it is to be had, or that it
// is not to be had and what is; and about a file or standard input that was not there.
// Known is asked for such a module alone.
func (a *Answer) Advise(known func() Environments, code string) {
	if r := a.Result; r != nil && a.Ending().Status == Failed {
		if endOfInput.MatchString(r.Stderr.Text) {
			a.Hint = "Its standard input was empty, or ended too early: give what it reads with the call, as stdin; sallyport run has --stdin FILE."
		}
		if all := missingFile.FindAllStringSubmatch(r.Stderr.Text, -1); len(all) > 0 {
			name := all[len(all)-1][1]
			a.Hint = fmt.Sprintf("Its work directory has no %s: %s.", Clip(Visible(name), maxFileShown), giveFile(name))
		}
	}
	if module := a.wanted(code); module != "" {
		where, found := known().whereIs(a.Source.Language, module)
		if a.Result != nil && !found {
			where += " If it is a file of yours, " + giveFile(module) + "."
		}
		a.Hint = where
	}
}

// giveFile says how a program gets a file of that name.
func giveFile(name string) string {
	how := "give it with the call, in files; sallyport run has --file PATH"
	if strings.Contains(name, "/") {
		how += "=NAME, where NAME is with its directories"
	}
	return how
}

// maxFileShown is how much of the name of a file is said, in bytes.
const maxFileShown = 200

// wanted is that module, "" for none.
func (a *Answer) wanted(code string) string {
	if a.Result == nil {
		if m := installing.FindStringSubmatch(code); m != nil && a.Decision.Effect != policy.Allow {
			return m[2]
		}
		return ""
	}
	pattern := missingPython
	if a.Source.Language == javaScript {
		pattern = missingNode
	}
	all := pattern.FindAllSubmatch(a.Result.Stderr.Bytes(), -1)
	if len(all) == 0 || a.Ending().Status != Failed {
		return ""
	}
	module := string(all[len(all)-1][1]) // the last one is what ended the program
	if a.Source.Language == python && strings.Contains(module, ".") {
		return "" // Python names the first part that is not there: the package is
	}
	return module
}

// distribution is the package that a module comes with, where that has another
// name than the module.
func distribution(module string) string {
	known := map[string]string{
		"bs4": "beautifulsoup4", "cv2": "opencv-python", "dateutil": "python-dateutil", "docx": "python-docx", "pil": "pillow",
		"skimage": "scikit-image", "sklearn": "scikit-learn", "yaml": "pyyaml", "pptx": "python-pptx",
	}
	name := canonical(module)
	if d, ok := known[name]; ok {
		return d
	}
	return name
}

// canonical is a name as registries compare it.
func canonical(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "-") }

// maxModules is how much is said of what there is, in bytes.
const maxModules = 300

// whereIs says where a module is to be had, or that it is not, and what is.
func (all Environments) whereIs(language, module string) (hint string, found bool) {
	if parts := strings.SplitN(module, "/", 3); strings.HasPrefix(module, "@") && len(parts) > 1 {
		module = parts[0] + "/" + parts[1]
	} else {
		module = parts[0]
	}
	want := distribution(module)
	var has, other []string
	for _, e := range all.Of(language) {
		names, versions := e.packages(language)
		if i := slices.IndexFunc(names, func(n string) bool { return canonical(n) == want }); i >= 0 {
			has = append(has, fmt.Sprintf("environment %s has %s %s", e.Name, names[i], versions[i]))
		} else if len(names) > 0 {
			other = append(other, e.InShort(language))
		}
	}
	module = Clip(Visible(module), 64)
	switch {
	case len(has) > 0:
		return fmt.Sprintf("Nothing can be installed here, but %s: name it as the environment.", Visible(strings.Join(has, ", "))), true
	case len(other) > 0:
		return fmt.Sprintf("No environment is known to have %s, and nothing can be installed. What there is beside the standard library: %s", module, Clip(strings.Join(other, " "), maxModules)), false
	}
	return fmt.Sprintf("No environment is known to have %s, and nothing can be installed: use the standard library.", module), false
}
