package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sallyport/analyze"
	"sallyport/gate"
)

// maxRead is one byte more than the analysis takes, so that a source that is
// too large is seen to be, without reading all of it.
const maxRead = analyze.MaxSourceBytes + 1

// readSource reads one program: a file, or standard input for "-".
func (a *app) readSource(ctx context.Context, name, language string) (gate.Request, error) {
	req := gate.Request{Name: name, Client: "cli", ClientVersion: version()}
	var err error
	if name == "-" {
		req.Name = "<stdin>"
		if isTerminal(a.stdin) {
			a.say("reading the program from this terminal; Ctrl-D ends it")
		}
		req.Source, err = readAll(ctx, a.stdin, maxRead)
	} else {
		req.Source, err = readFile(name, "a program", maxRead)
	}
	if err != nil {
		return req, err
	}
	req.Language, req.Goal, err = languageOf(req.Name, language, req.Source)
	return req, err
}

// readFile reads up to limit bytes of a regular file, of which is said what it
// should have been.
func readFile(name, what string, limit int64) ([]byte, error) {
	st, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, noFile(name)
	case errors.Is(err, fs.ErrPermission):
		return nil, noPermission(name)
	case err != nil:
		return nil, usagef("cannot read %s: %s", name, plain(err))
	case st.IsDir():
		return nil, withHint(usagef("%s is a directory, not %s", name, what), "name a file in it; sallyport check %s judges all its programs", name)
	case !st.Mode().IsRegular():
		return nil, withHint(usagef("%s is not a regular file", name), "give it on standard input: - <%s", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, noPermission(name)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %s", name, plain(err))
	}
	return b, nil
}

// noFile is the error of a file that is not there, with the one beside it that
// was meant, perhaps.
func noFile(name string) error {
	err := usagef("no such file: %s", name)
	entries, rerr := os.ReadDir(filepath.Dir(name))
	if rerr != nil {
		return err // there is no such directory: that is hint enough
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if best := nearest(filepath.Base(name), names); best != "" {
		return withHint(err, "did you mean %s?", filepath.Join(filepath.Dir(name), best))
	}
	return err
}

func noPermission(name string) error {
	return withHint(usagef("no permission to read %s", name), "let this user read it: chmod u+r, or another owner")
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
		return "", "", withHint(usagef("cannot tell the language of %s", name), "say it: --language python or --language javascript")
	}
	return lang, goal, nil
}
