package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/gate"
	"sallyport/sandbox"
)

// Bounds on what a call may carry, before anything looks at it closer. They
// keep one call from taking the memory of all; the sandbox has its own.
const (
	maxFiles     = 64
	maxFileBytes = 16 << 20 // all input files together
	maxArgs      = 64
	maxArgBytes  = 64 << 10 // all arguments together
	maxPathBytes = 255
)

// arguments is what a tool call asks for.
type arguments struct {
	code        string
	language    string
	typescript  bool // the program is, which that language runs
	goal        analyze.Goal
	files       []sandbox.File
	references  []gate.Reference
	roots       []string // that the client selects among the operator's directories
	stdin       string
	args        []string
	timeout     time.Duration
	memory      int64
	environment string
	session     string
	labels      map[string]string // of the call, not of the tool's arguments
}

// argument reads one argument. Its error completes the sentence that begins
// with the argument's name.
type argument func(*arguments, json.RawMessage) error

// runArguments are those of the tools that run code.
func runArguments(language string, sessions bool) map[string]argument {
	known := map[string]argument{
		"code":            func(a *arguments, v json.RawMessage) error { return text(&a.code, v) },
		"stdin":           func(a *arguments, v json.RawMessage) error { return text(&a.stdin, v) },
		"environment":     func(a *arguments, v json.RawMessage) error { return text(&a.environment, v) },
		"files":           (*arguments).readFiles,
		"args":            (*arguments).readArgs,
		"timeout_seconds": (*arguments).readTimeout,
		"memory_mb":       (*arguments).readMemory,
	}
	if language == string(analyze.JavaScript) {
		known["typescript"] = func(a *arguments, v json.RawMessage) error {
			if json.Unmarshal(v, &a.typescript) != nil || kindOf(v) == "null" {
				return fmt.Errorf("must be true or false, not %s", kindOf(v))
			}
			return nil
		}
	}
	if sessions {
		known["session"] = (*arguments).readSession
	}
	return known
}

// checkArguments are those of check_code.
func checkArguments() map[string]argument {
	return map[string]argument{
		"code":        func(a *arguments, v json.RawMessage) error { return text(&a.code, v) },
		"environment": func(a *arguments, v json.RawMessage) error { return text(&a.environment, v) },
		"language":    (*arguments).readLanguage,
	}
}

// readArguments reads the arguments of a call strictly: what it does not know
// or cannot take is an error that names it.
func readArguments(raw json.RawMessage, known map[string]argument, required ...string) (arguments, error) {
	var a arguments
	given := map[string]json.RawMessage{}
	if len(raw) > 0 && kindOf(raw) != "null" {
		if kindOf(raw) != "an object" {
			return a, fmt.Errorf("the arguments must be an object, not %s", kindOf(raw))
		}
		if err := json.Unmarshal(raw, &given); err != nil {
			return a, fmt.Errorf("the arguments are not valid JSON")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		read, ok := known[name]
		if !ok {
			return a, fmt.Errorf("unknown argument %q; this tool takes %s", answer.Clip(name, 64), strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		if err := read(&a, given[name]); err != nil {
			return a, fmt.Errorf("argument %q %w", name, err)
		}
	}
	for _, name := range required {
		if _, ok := given[name]; !ok {
			return a, fmt.Errorf("argument %q is missing", name)
		}
	}
	return a, nil
}

// kindOf names the type of a JSON value by its first byte.
func kindOf(v json.RawMessage) string {
	v = bytes.TrimSpace(v)
	if len(v) == 0 {
		return "nothing"
	}
	switch v[0] {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

func text(to *string, v json.RawMessage) error {
	if kindOf(v) != "a string" {
		return fmt.Errorf("must be a string, not %s", kindOf(v))
	}
	if err := json.Unmarshal(v, to); err != nil {
		return fmt.Errorf("is not a valid string")
	}
	if !isUnicode(v) {
		return fmt.Errorf("is no Unicode text: it has half of a surrogate pair, or bytes that are no UTF-8")
	}
	return nil
}

// isUnicode reports whether a JSON string is text. The decoder would put
// U+FFFD in the place of what is none, and what is judged would not be what was
// sent.
func isUnicode(v json.RawMessage) bool {
	if !utf8.Valid(v) {
		return false
	}
	unit := func(at int) rune { // the code unit of an escape, -1 for anything else
		if at+6 > len(v) || v[at] != '\\' || v[at+1] != 'u' {
			return -1
		}
		n, err := strconv.ParseUint(string(v[at+2:at+6]), 16, 16)
		if err != nil {
			return -1
		}
		return rune(n)
	}
	for at := 0; at < len(v); {
		switch r := unit(at); {
		case v[at] != '\\':
			at++
		case r < 0:
			at += 2
		case !utf16.IsSurrogate(r):
			at += 6
		case utf16.DecodeRune(r, unit(at+6)) == utf8.RuneError:
			return false
		default:
			at += 12
		}
	}
	return true
}

func (a *arguments) readLanguage(v json.RawMessage) error {
	if err := text(&a.language, v); err != nil {
		return err
	}
	switch a.language {
	case "python", "javascript":
		return nil
	case "typescript":
		a.language, a.typescript = string(analyze.JavaScript), true
		return nil
	}
	return fmt.Errorf("must be python, javascript or typescript, not %q", answer.Clip(a.language, 64))
}

func (a *arguments) readTimeout(v json.RawMessage) error {
	n, err := number(v)
	if err != nil {
		return err
	}
	// The cap keeps the conversion exact; no ceiling is that high.
	a.timeout = time.Duration(min(n, 1e6) * float64(time.Second))
	if a.timeout <= 0 {
		return fmt.Errorf("must be more than 0")
	}
	return nil
}

func (a *arguments) readMemory(v json.RawMessage) error {
	n, err := number(v)
	if err != nil {
		return err
	}
	if n < 1 || n != math.Trunc(n) {
		return fmt.Errorf("must be a whole number from 1 on")
	}
	a.memory = int64(min(n, 1<<24)) << 20
	return nil
}

func number(v json.RawMessage) (float64, error) {
	if kindOf(v) != "a number" {
		return 0, fmt.Errorf("must be a number, not %s", kindOf(v))
	}
	var n float64
	if err := json.Unmarshal(v, &n); err != nil {
		return 0, fmt.Errorf("is not a number that can be used")
	}
	return n, nil
}

func (a *arguments) readArgs(v json.RawMessage) error {
	items, err := list(v, maxArgs)
	if err != nil {
		return err
	}
	total := 0
	for i, item := range items {
		var s string
		if err := text(&s, item); err != nil {
			return fmt.Errorf("item %d %w", i, err)
		}
		if strings.ContainsRune(s, 0) {
			return fmt.Errorf("item %d contains a NUL character", i)
		}
		if total += len(s); total > maxArgBytes {
			return fmt.Errorf("is longer than %d KiB", maxArgBytes>>10)
		}
		a.args = append(a.args, s)
	}
	return nil
}

func list(v json.RawMessage, most int) ([]json.RawMessage, error) {
	if kindOf(v) != "an array" {
		return nil, fmt.Errorf("must be an array, not %s", kindOf(v))
	}
	var items []json.RawMessage
	if err := json.Unmarshal(v, &items); err != nil {
		return nil, fmt.Errorf("is not a valid array")
	}
	if len(items) > most {
		return nil, fmt.Errorf("has %d items, at most %d are allowed", len(items), most)
	}
	return items, nil
}

func (a *arguments) readFiles(v json.RawMessage) error {
	items, err := list(v, maxFiles)
	if err != nil {
		return err
	}
	total, names := 0, sandbox.Names{}
	for i, item := range items {
		f, from, err := readFile(item)
		if err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
		if err := names.Add(f.Path); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
		if from != "" {
			a.references = append(a.references, gate.Reference{Path: f.Path, From: from})
			continue
		}
		if total += len(f.Data); total > maxFileBytes {
			return fmt.Errorf("hold more than %d MiB", maxFileBytes>>20)
		}
		a.files = append(a.files, f)
	}
	return nil
}

// readFile reads a file that a caller sends, or where it is to be read from.
func readFile(v json.RawMessage) (f sandbox.File, from string, err error) {
	var fields map[string]json.RawMessage
	if kindOf(v) != "an object" {
		return f, "", fmt.Errorf("must be an object, not %s", kindOf(v))
	}
	if err := json.Unmarshal(v, &fields); err != nil {
		return f, "", fmt.Errorf("is not a valid object")
	}
	values := map[string]string{"encoding": "utf-8"}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains([]string{"path", "content", "encoding", "from"}, name) {
			return f, "", fmt.Errorf("unknown field %q; a file has path, and content, encoding or from", answer.Clip(name, 64))
		}
		var s string
		if err := text(&s, fields[name]); err != nil {
			return f, "", fmt.Errorf("%s %w", name, err)
		}
		values[name] = s
	}
	_, sent := fields["content"]
	_, named := fields["from"]
	f.Path = values["path"]
	switch {
	case sent && named:
		return f, "", fmt.Errorf("content and from: a file has one of them")
	case fields["path"] == nil && named:
		f.Path = path.Base(values["from"][strings.Index(values["from"], ":")+1:])
	case fields["path"] == nil:
		return f, "", fmt.Errorf("path is missing")
	case !sent && !named:
		return f, "", fmt.Errorf("content is missing")
	}
	if err := checkPath(f.Path); err != nil || named {
		if err == nil && values["from"] == "" {
			err = fmt.Errorf("from is empty")
		}
		return f, values["from"], err
	}
	return f, "", decodeContent(&f, values["content"], values["encoding"])
}

func decodeContent(f *sandbox.File, content, encoding string) error {
	switch encoding {
	case "utf-8":
		f.Data = []byte(content)
	case "base64":
		b, err := base64.StdEncoding.DecodeString(content)
		if err != nil {
			return fmt.Errorf("content of %q is not base64", f.Path)
		}
		f.Data = b
	default:
		return fmt.Errorf("encoding must be utf-8 or base64, not %q", answer.Clip(encoding, 64))
	}
	return nil
}

// checkPath refuses a path that could mean another place than one below the
// working directory. The sandbox checks again.
func checkPath(p string) error {
	switch {
	case p == "" || p == ".":
		return fmt.Errorf("path is empty")
	case len(p) > maxPathBytes:
		return fmt.Errorf("path is longer than %d bytes", maxPathBytes)
	case path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../"):
		return fmt.Errorf("path %q must be relative and plain, such as data/input.csv", answer.Clip(p, 64))
	case strings.ContainsAny(p, "\\") || strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == utf8.RuneError }):
		return fmt.Errorf("path %q has a character that is not allowed", answer.Clip(p, 64))
	}
	return nil
}
