package main

import (
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
func (a *app) readSource(name, language string) (gate.Request, error) {
	req := gate.Request{Name: name, Client: "cli", ClientVersion: version()}
	var err error
	if name == "-" {
		req.Name = "<stdin>"
		req.Source, err = io.ReadAll(io.LimitReader(a.stdin, maxRead))
	} else {
		req.Source, err = readFile(name)
	}
	if err != nil {
		return req, err
	}
	req.Language, req.Goal, err = languageOf(name, language, req.Source)
	return req, err
}

func readFile(name string) ([]byte, error) {
	st, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usagef("no such file: %s", name)
	case errors.Is(err, fs.ErrPermission):
		return nil, usagef("no permission to read %s", name)
	case err != nil:
		return nil, usagef("%v", err)
	case st.IsDir():
		return nil, usagef("%s is a directory, not a program", name)
	case !st.Mode().IsRegular():
		return nil, usagef("%s is not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, usagef("no permission to read %s", name)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxRead))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return b, nil
}

// languageFlag reads a --language flag; "" leaves the language to each name.
func languageFlag(value string) (analyze.Language, error) {
	switch value {
	case "":
		return "", nil
	case "python", "py":
		return analyze.Python, nil
	case "javascript", "js":
		return analyze.JavaScript, nil
	}
	return "", withHint(usagef("unknown language %q", value), "the languages are python and javascript")
}

// languageOf takes the language from the flag, else from the name or the
// shebang line. It never guesses from the code.
func languageOf(name, flag string, source []byte) (analyze.Language, analyze.Goal, error) {
	want, err := languageFlag(flag)
	if err != nil {
		return "", "", err
	}
	lang, goal := analyze.LanguageOf(name, source)
	switch {
	case want != "" && lang != want:
		return want, "", nil
	case lang == "":
		return "", "", withHint(usagef("cannot tell the language of %s", name), "say it: --language python or --language javascript")
	}
	return lang, goal, nil
}
