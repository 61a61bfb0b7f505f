package gate

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"sallyport/analyze"
	"sallyport/policy"
	"sallyport/sandbox"
)

// seen is what facts say that a program reaches: the files that it names where it uses
// files, and the modules of Node that it imports. While the program runs, its hooks hold
// what it does against that.
func seen(by *policy.Engine, f analyze.Facts) (s sandbox.Seen) {
	for name, uses := range f.Uses {
		if !usesFiles(by, string(f.Language), name) {
			continue
		}
		for _, u := range uses {
			s.Paths = append(s.Paths, placesOf(ofPaths(name, u))...)
		}
	}
	for _, module := range f.Imports {
		if name, ok := strings.CutPrefix(module, "node:"); ok {
			s.Modules = append(s.Modules, name)
		}
	}
	return join(s, sandbox.Seen{})
}

func usesFiles(by *policy.Engine, language, name string) bool {
	can, _ := by.Classify(language, name)
	return slices.Contains(can, "filesystem.read") || slices.Contains(can, "filesystem.write")
}

// ofPaths leaves out what a use writes, which names nothing (as file-outside of baseline does).
func ofPaths(name string, u analyze.Use) analyze.Use {
	switch {
	case writesSecond.MatchString(name):
		u.Args = u.Args[:min(1, len(u.Args))]
	case name == "pathlib.Path.write_text" || name == "pathlib.Path.write_bytes":
		u.Args = nil
	}
	return u
}

var writesSecond = regexp.MustCompile(`^node:fs(/promises|\.promises)?\.(write|append)File(Sync)?$`)

// placesOf are the files that a use names, but for those that the program can write.
func placesOf(u analyze.Use) (places []string) {
	named := []string{u.Path}
	for _, a := range u.Args {
		text, _ := a.Value.(string)
		named = append(named, text, a.Path)
	}
	for _, p := range named {
		if p == "" || len(p) > longestPath || strings.Contains(p, "\x00") {
			continue
		}
		if !path.IsAbs(p) {
			p = sandbox.WorkDir + "/" + p
		}
		// What comes behind a star could be anything.
		known, _, open := strings.Cut(p, "*")
		place := path.Clean(known)
		if open && strings.HasSuffix(known, "/") && place != "/" {
			place += "/"
		}
		if open {
			place += "*"
		}
		if !strings.HasPrefix(place, sandbox.WorkDir+"/") {
			places = append(places, place)
		}
	}
	return places
}

const longestPath = 4095 // bytes, as the kernel takes it

// join is what is in either, each once.
func join(a, b sandbox.Seen) sandbox.Seen {
	both := func(a, b []string) []string { return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b)))) }
	return sandbox.Seen{Paths: both(a.Paths, b.Paths), Modules: both(a.Modules, b.Modules)}
}
