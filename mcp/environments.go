package mcp

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/gate"
)

// Environment describes one of the operator's environments to clients.
type Environment struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Languages   []string `json:"languages,omitempty"` // none named: all of them
	Packages    []string `json:"packages,omitempty"`  // numpy==2.1.0, or lodash@4.17.21
	Reaches     []string `json:"reaches,omitempty"`   // hosts, with methods and paths; nothing else can be reached
}

// How much of the environments stands in the schema of a tool. All of it is in
// the resource sallyport://environments.
const (
	maxEnvironmentsShown = 12
	maxPackagesShown     = 6
	maxDescriptionShown  = 80
)

// environments are those that have a language, the default one first; "" asks
// for all of them.
func (s *Server) environments(language string) []Environment {
	isDefault := func(e Environment) bool { return e.Name == "default" }
	first := Environment{Name: "default", Languages: []string{string(analyze.Python), string(analyze.JavaScript)}}
	if i := slices.IndexFunc(s.opts.Environments, isDefault); i >= 0 {
		first = s.opts.Environments[i]
	}
	if first.Description == "" {
		first.Description = "the language and its standard library"
	}
	all := append([]Environment{first}, slices.DeleteFunc(slices.Clone(s.opts.Environments), isDefault)...)
	return slices.DeleteFunc(all, func(e Environment) bool { return language != "" && !e.has(language) })
}

func (e Environment) has(language string) bool {
	return len(e.Languages) == 0 || slices.Contains(e.Languages, language)
}

func namesOf(all []Environment) []string {
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.Name
	}
	return names
}

// packagesOf are the packages of a language by their name and version.
func (e Environment) packagesOf(language string) (names, versions []string) {
	sign := "=="
	if language == string(analyze.JavaScript) {
		sign = "@"
	}
	for _, p := range e.Packages {
		if i := strings.LastIndex(p, sign); i > 0 && (sign == "==" || !strings.Contains(p, "==")) {
			names, versions = append(names, p[:i]), append(versions, p[i+len(sign):])
		}
	}
	return names, versions
}

// environmentArgument is the schema of the argument that names an environment.
func (s *Server) environmentArgument(language string) schema {
	all := s.environments(language)
	var b strings.Builder
	b.WriteString("Where to run; nothing can be installed.")
	for i, e := range all {
		if i == maxEnvironmentsShown {
			b.WriteString(" More: resource sallyport://environments.")
			break
		}
		b.WriteString(" " + e.inShort(language))
	}
	return describe("string", b.String(), schema{"enum": namesOf(all), "default": "default"})
}

// inShort says in a sentence what an environment is for, and what is in it: the
// packages that its description names go first.
func (e Environment) inShort(language string) string {
	names, versions := e.packagesOf(language)
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
	parts := []string{answer.Clip(answer.Visible(answer.OneLine(e.Description)), maxDescriptionShown), answer.Visible(strings.Join(shown, ", "))}
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	if len(parts) == 0 {
		return e.Name + "."
	}
	return e.Name + ": " + strings.TrimRight(strings.Join(parts, "; "), ".") + "."
}

// wrongEnvironment refuses an environment that is not there, or that lacks the
// language: it is never replaced by another one.
func (s *Server) wrongEnvironment(ctx context.Context, who gate.Principal, args arguments) *problem {
	have := namesOf(s.environments(args.language))
	if args.environment == "" || slices.Contains(have, args.environment) {
		return nil
	}
	why := fmt.Sprintf("there is no environment %q", answer.Clip(args.environment, 64))
	if slices.Contains(namesOf(s.environments("")), args.environment) {
		why = fmt.Sprintf("environment %q has no %s", args.environment, args.language)
	} else {
		s.opts.missing(ctx, who, "environment", "environment", args.environment)
	}
	return new(refusal("environment", fmt.Sprintf("The call was refused: %s. Nothing ran. Environments that have %s: %s.", why, args.language, strings.Join(have, ", "))))
}

var (
	missingPython = regexp.MustCompile(`(?m)^ModuleNotFoundError: No module named '([A-Za-z0-9_.]+)'`)
	missingNode   = regexp.MustCompile(`(?m)^(?:Uncaught )?(?:\w+ )*(?:Error|Error \[\w+\]): Cannot find (?:module|package) '([^'./\n][^'\n]*)'`)
	installing    = regexp.MustCompile(`\b(?:pip3?|npm|yarn|pnpm|uv)["'\s,]+(?:install|add|i)\b["'\s,]+((?:--?[\w-]+["'\s,]+)*)([A-Za-z@][A-Za-z0-9@/_.-]*)`)
)

// missingModule is the module that a program did not find, "" for none.
func missingModule(language string, stderr []byte) string {
	pattern := missingPython
	if language == string(analyze.JavaScript) {
		pattern = missingNode
	}
	all := pattern.FindAllSubmatch(stderr, -1)
	if len(all) == 0 {
		return ""
	}
	return string(all[len(all)-1][1]) // the last one is what ended the program
}

// installed is the package that a program wants to install, "" for none.
func installed(code string) string {
	if m := installing.FindStringSubmatch(code); m != nil {
		return m[2]
	}
	return ""
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

// whereIs says where a module is to be had, or that it is not, and what is.
func (s *Server) whereIs(language, module string) string {
	if language == string(analyze.Python) {
		module, _, _ = strings.Cut(module, ".")
	} else if parts := strings.SplitN(module, "/", 3); strings.HasPrefix(module, "@") && len(parts) > 1 {
		module = parts[0] + "/" + parts[1]
	} else {
		module = parts[0]
	}
	want := distribution(module)
	var has, other []string
	for _, e := range s.environments(language) {
		names, versions := e.packagesOf(language)
		if i := slices.IndexFunc(names, func(n string) bool { return canonical(n) == want }); i >= 0 {
			has = append(has, fmt.Sprintf("environment %s has %s %s", e.Name, names[i], versions[i]))
		} else if len(names) > 0 {
			other = append(other, e.inShort(language))
		}
	}
	module = answer.Clip(answer.Visible(module), 64)
	switch {
	case len(has) > 0:
		return fmt.Sprintf("Nothing can be installed here, but %s: name it in \"environment\".", strings.Join(has, ", "))
	case len(other) > 0:
		return fmt.Sprintf("No environment has %s, and nothing can be installed. What there is beside the standard library: %s", module, answer.Clip(strings.Join(other, " "), maxSentence))
	}
	return fmt.Sprintf("No environment has %s, and nothing can be installed: there is the standard library alone.", module)
}
