package config

import (
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// Lines are the lines on which the keys of a configuration stand, such as
// limits.timeout or policy.exceptions[0].rule.
type Lines map[string]int

// Of is the line of a key, or of the nearest one above it that stands somewhere;
// 0 for none.
func (l Lines) Of(key string) int {
	for key != "" {
		if line, ok := l[key]; ok {
			return line
		}
		key = key[:max(0, strings.LastIndexAny(key, ".["))]
	}
	return 0
}

// Place is where a key stands, as FILE:LINE, or the nearest one above it; "" for
// one that stands nowhere.
func (c Config) Place(key string) string {
	if line := c.Lines.Of(key); line > 0 {
		return fmt.Sprintf("%s:%d", c.Path, line)
	}
	return ""
}

// linesOf collects the lines below a node. The document has been decoded, so it
// does not grow without end.
func linesOf(n *yaml.Node, key string, lines Lines) {
	switch n.Kind {
	case yaml.DocumentNode:
		linesOf(n.Content[0], key, lines)
	case yaml.AliasNode:
		linesOf(n.Alias, key, lines)
	case yaml.SequenceNode:
		for i, item := range n.Content {
			at := fmt.Sprintf("%s[%d]", key, i)
			lines[at] = item.Line
			linesOf(item, at, lines)
		}
	case yaml.MappingNode:
		memberLines(n, key, lines)
	}
}

func memberLines(n *yaml.Node, key string, lines Lines) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag == "!!merge" { // its keys stand elsewhere, and give way to those here
			linesOf(n.Content[i+1], key, lines)
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		if name.Tag == "!!merge" {
			continue
		}
		at := strings.TrimPrefix(key+"."+name.Value, ".")
		lines[at] = name.Line
		linesOf(value, at, lines)
	}
}

// badValue is an error about the value of a key.
type badValue struct {
	key string
	err error
}

func bad(key, format string, args ...any) error {
	return badValue{key, fmt.Errorf(format, args...)}
}

func (b badValue) Error() string { return b.key + ": " + b.err.Error() }
func (b badValue) Unwrap() error { return b.err }

// placed says on which line the value stands that an error is about.
func (l Lines) placed(err error) error {
	var b badValue
	if errors.As(err, &b) {
		if line := l.Of(b.key); line > 0 {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	return err
}
