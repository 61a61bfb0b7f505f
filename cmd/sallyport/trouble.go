package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"sallyport/config"
	"sallyport/gate"
	"sallyport/sandbox"
	"sallyport/sandbox/supervised"
)

// mended is what is wrong and what mends it, as far as err says so.
func mended(err error) (what, fix string) {
	var h hinted
	var t *supervised.Trouble
	switch {
	case errors.As(err, &h):
		return inWords(err), h.hint
	case errors.As(err, &t) && t.Err != nil:
		return oneLine(t.What + ": " + t.Err.Error()), t.Fix
	case t != nil:
		return oneLine(t.What), t.Fix
	case errors.Is(err, sandbox.ErrUnavailable):
		return inWords(err), "sallyport doctor says what works here, and what keeps the rest from it"
	case errors.Is(err, gate.ErrNotRecorded):
		return inWords(err), "nothing runs without a record: make room for it, or set audit.dir in sallyport.yaml"
	}
	return inWords(err), ""
}

// inWords is the text of an error, in which what the system refused is said
// in words: "cannot open FILE: permission denied" and not "open FILE: …".
func inWords(err error) string {
	text := err.Error()
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		text = strings.Replace(text, path.Error(), fmt.Sprintf("cannot %s %s: %s", deed(path.Op), path.Path, plain(path)), 1)
	case errors.As(err, &link):
		text = strings.Replace(text, link.Error(), fmt.Sprintf("cannot %s %s to %s: %s", deed(link.Op), link.Old, link.New, plain(link)), 1)
	}
	return oneLine(text)
}

// deed names a call of the system by what it does.
func deed(call string) string {
	switch call = strings.TrimSuffix(call, "at"); call {
	case "mkdir", "mkdtemp", "createtemp":
		return "make"
	case "st", "lst", "readlink": // stat, lstat
		return "find"
	case "unlink", "rmdir":
		return "remove"
	}
	return call
}

// plain is what the system says is wrong, without the call that said it and
// without the path, which stands beside it.
func plain(err error) string {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file or directory"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, fs.ErrExist):
		return "it is there already"
	case errors.As(err, &path):
		return path.Err.Error()
	case errors.As(err, &link):
		return link.Err.Error()
	case errors.As(err, &call):
		return call.Err.Error()
	}
	return err.Error()
}

var noKey = regexp.MustCompile(`there is no key "([^"]*)" here`)

// configHint says what a misspelt key of a configuration was meant to be.
func configHint(err error) string {
	if m := noKey.FindStringSubmatch(err.Error()); m != nil {
		return didYouMean(m[1], configKeys(), "sallyport config schema prints every key that there is")
	}
	return "sallyport config schema prints what may stand where"
}

// configKeys are the keys that the schema of the configuration has, at any
// depth.
func configKeys() []string {
	var schema any
	if err := json.Unmarshal(config.Schema(), &schema); err != nil {
		return nil // there is no suggestion, then
	}
	var keys []string
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				visit(x)
			}
		case map[string]any:
			if p, ok := v["properties"].(map[string]any); ok {
				for k := range p {
					keys = append(keys, k)
				}
			}
			for _, x := range v {
				visit(x)
			}
		}
	}
	visit(schema)
	slices.Sort(keys)
	return slices.Compact(keys)
}
