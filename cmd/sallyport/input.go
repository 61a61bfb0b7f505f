package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

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
		return nil, usagef("no such file: %s", name)
	case errors.Is(err, fs.ErrPermission):
		return nil, usagef("no permission to read %s", name)
	case err != nil:
		return nil, usagef("cannot read %s: %s", name, plain(err))
	case st.IsDir():
		return nil, usagef("%s is a directory, not %s", name, what)
	case !st.Mode().IsRegular():
		return nil, usagef("%s is not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, usagef("no permission to read %s", name)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %s", name, plain(err))
	}
	return b, nil
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
