package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sallyport/analyze"
	"sallyport/gate"
	"sallyport/internal/hint"
	"sallyport/internal/install"
)

// maxRead is one byte more than the analysis takes, so that a source that is
// too large is seen to be, without reading all of it.
func maxRead(name, language string) int64 {
	if lang, _ := analyze.LanguageOf(name, nil); lang == analyze.Notebook && language == "" || analyze.Language(language) == analyze.Notebook {
		return analyze.MaxNotebookBytes + 1
	}
	return analyze.MaxSourceBytes + 1
}

// input is what an invocation reads from.
type input struct {
	r      io.Reader
	tell   *speech           // when it waits for somebody to type
	labels map[string]string // that --label gives every program
}

// program reads one program: a file, or standard input for "-".
func (in input) program(ctx context.Context, name, language string) (gate.Request, error) {
	req := gate.Request{Name: name, Client: "cli", ClientVersion: version(), Labels: in.labels}
	var err error
	if name == "-" {
		req.Name = "<stdin>"
		if isTerminal(in.r) {
			in.tell.say("reading the program from this terminal; Ctrl-D ends it")
		}
		req.Source, err = readAll(ctx, in.r, maxRead(name, language))
	} else {
		req.Source, err = install.ReadFile(name, "a program", maxRead(name, language))
	}
	if err != nil {
		return req, err
	}
	req.Language, req.Goal, err = languageOf(req.Name, language, req.Source)
	return req, err
}

// languageOf takes the language from the flag, else from the name or the
// shebang line. It never guesses from the code.
func languageOf(name, flag string, source []byte) (analyze.Language, analyze.Goal, error) {
	want := analyze.Language(flag)
	lang, goal := analyze.LanguageOf(name, source)
	switch {
	case want != "" && lang != want:
		return want, "", nil
	case lang == "":
		return "", "", hint.With(hint.Usage("cannot tell the language of %s", name), "say it: --language python, javascript, typescript or notebook")
	}
	return lang, goal, nil
}

// target is one program to judge, with what went wrong in looking for it.
type target struct {
	name  string
	named bool // by the caller, and not found below a directory
	err   error
}

// targets is what a walk found, in the order of the arguments and, below a
// directory, in the order of the names.
type targets struct {
	list    []target
	empty   int // files without a byte, such as __init__.py
	skipped int // directories that hold no code of the project's own
	walked  bool
}

// collect expands directories. What cannot be read becomes a target with an
// error: one bad file must not hide the others.
func collect(ctx context.Context, args []string, language string) (targets, error) {
	w := walker{language: analyze.Language(language), seen: map[string]bool{}}
	for _, arg := range args {
		if w.seen[clean(arg)] {
			continue
		}
		st, err := os.Stat(arg)
		if arg == "-" || err != nil || !st.IsDir() {
			w.add(target{name: arg, named: true})
			continue
		}
		w.found.walked = true
		w.walk(ctx, arg)
	}
	if ctx.Err() != nil {
		return w.found, ctx.Err()
	}
	if len(w.found.list) == 0 && w.found.empty == 0 {
		return w.found, hint.With(hint.Usage("no Python, JavaScript or TypeScript program, and no notebook, below %s", strings.Join(args, ", ")),
			"directories are searched for *.py, *.pyw, *.js, *.mjs, *.cjs, *.ts, *.mts and *.ipynb; hidden directories, node_modules and virtual environments are skipped")
	}
	return w.found, nil
}

type walker struct {
	language analyze.Language // "" means all
	seen     map[string]bool
	found    targets
}

func clean(name string) string {
	if name == "-" {
		return name
	}
	return filepath.Clean(name)
}

func (w *walker) add(t target) {
	if key := clean(t.name); !w.seen[key] {
		w.seen[key] = true
		w.found.list = append(w.found.list, t)
	}
}

// walk adds the programs below a directory. Links are not followed: they lead
// out of what the caller named, or in circles.
func (w *walker) walk(ctx context.Context, root string) {
	visit := func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return fs.SkipAll
		}
		if err != nil {
			w.add(target{name: path, err: walkError(path, err)})
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			switch {
			case path == root:
				return nil
			case d.Name() == "__pycache__": // never holds a source
				return fs.SkipDir
			case foreign(path, d.Name()):
				w.found.skipped++
				return fs.SkipDir
			}
			return nil
		}
		if lang, _ := analyze.LanguageOf(path, nil); !d.Type().IsRegular() || lang == "" || w.language != "" && lang != w.language {
			return nil
		}
		if st, err := d.Info(); err == nil && st.Size() == 0 {
			w.found.empty++
			return nil
		}
		w.add(target{name: path})
		return nil
	}
	// A root that is itself a link was named, so it is meant.
	if st, err := os.Lstat(root); err == nil && st.Mode()&fs.ModeSymlink != 0 {
		root += string(filepath.Separator)
	}
	if err := filepath.WalkDir(root, visit); err != nil {
		w.add(target{name: root, err: walkError(root, err)})
	}
}

func walkError(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return hint.Usage("no permission to read %s", path)
	}
	return hint.Usage("cannot read %s: %s", path, hint.Reason(err))
}

// foreign reports whether a directory holds other people's code, or none:
// hidden ones such as .git, installed packages, virtual environments.
func foreign(path, name string) bool {
	if name[0] == '.' || name == "node_modules" {
		return true
	}
	_, err := os.Lstat(filepath.Join(path, "pyvenv.cfg"))
	return err == nil
}
