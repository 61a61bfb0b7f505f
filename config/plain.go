package config

import (
	"errors"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// plain says what is wrong with a document without the words of the program
// that reads it.
func plain(err error) error {
	var t *yaml.TypeError
	if !errors.As(err, &t) {
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	unknown := regexp.MustCompile(`field (\S+) not found in type \S+`)
	kind := regexp.MustCompile("cannot unmarshal (\\S+)( `[^`]*`)? into (\\S+)")
	out := make([]string, len(t.Errors))
	for i, line := range t.Errors {
		line = unknown.ReplaceAllString(line, `there is no key "$1" here`)
		out[i] = kind.ReplaceAllStringFunc(line, func(s string) string {
			m := kind.FindStringSubmatch(s)
			return nameOf(m[1]) + m[2] + " stands where " + nameOf(m[3]) + " belongs"
		})
	}
	return errors.New(strings.Join(out, "; "))
}

// nameOf names a kind of value, by its tag in YAML or its type in Go.
func nameOf(kind string) string {
	switch {
	case kind == "!!seq" || strings.HasPrefix(kind, "[]"):
		return "a list"
	case kind == "!!str" || kind == "string":
		return "text"
	case kind == "!!bool" || kind == "bool":
		return "true or false"
	case kind == "!!int" || strings.HasPrefix(kind, "int") || strings.HasPrefix(kind, "uint"):
		return "a whole number"
	case kind == "!!float" || strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "!!null":
		return "nothing"
	}
	return "a map of keys"
}
