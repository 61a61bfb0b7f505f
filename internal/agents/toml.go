package agents

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// editTOML sets the table of the server, which is how the client itself writes
// it. One that is written in another way is not edited.
func editTOML(old []byte, e Entry) ([]byte, error) {
	table, err := tomlTable(e)
	if err != nil {
		return nil, err
	}
	start, end, err := findTOML(old, "mcp_servers", e.Name)
	switch {
	case err != nil:
		return nil, err
	case start >= 0:
		return slices.Concat(old[:start], table, old[end:]), nil
	case len(bytes.TrimSpace(old)) == 0:
		return table, nil
	}
	return slices.Concat(bytes.TrimRight(old, "\r\n"), []byte("\n\n"), table), nil
}

// findTOML says where the table of a name below another one stands: from its
// header to the end of the line of its last value. A negative start is nowhere.
func findTOML(doc []byte, parent, name string) (start, end int, err error) {
	var p unstable.Parser
	p.Reset(doc)
	start = -1
	var table []string // that is being read
	endOfLine := func(from uint32) int {
		if i := bytes.IndexByte(doc[from:], '\n'); i >= 0 {
			return int(from) + i + 1
		}
		return len(doc)
	}
	for p.NextExpression() {
		x := p.Expression()
		var key []string
		first := unstable.Range{}
		for it := x.Key(); it.Next(); {
			if key == nil {
				first = it.Node().Raw
			}
			key = append(key, string(it.Node().Data))
		}
		own := slices.Equal(key, []string{parent, name})
		switch {
		case x.Kind == unstable.Table && own && start < 0:
			start, end = bytes.LastIndexByte(doc[:first.Offset], '\n')+1, endOfLine(first.Offset)
			table = key
		case x.Kind == unstable.Table && !own:
			table = key
		case x.Kind == unstable.ArrayTable && key[0] != parent:
			table = key
		case x.Kind == unstable.KeyValue && start >= 0 && slices.Equal(table, []string{parent, name}):
			end = endOfLine(x.Raw.Offset + x.Raw.Length)
		case x.Kind == unstable.KeyValue && (len(table) > 0 || key[0] != parent) && (!slices.Equal(table, []string{parent}) || key[0] != name):
		default:
			return -1, 0, fmt.Errorf("%s is not written as tables, each once, so it is not edited", parent)
		}
	}
	if p.Error() != nil {
		return -1, 0, errors.New("not TOML, so it is not edited")
	}
	return start, end, nil
}

// tomlTable writes the entry. A JSON string without escaped slashes is a TOML
// basic string.
func tomlTable(e Entry) ([]byte, error) {
	command, err := marshalIndented(e.Command, 0, "")
	if err != nil {
		return nil, err
	}
	var args []string
	for _, a := range e.Args {
		b, err := marshalIndented(a, 0, "")
		if err != nil {
			return nil, err
		}
		args = append(args, string(b))
	}
	return fmt.Appendf(nil, "[mcp_servers.%s]\ncommand = %s\nargs = [%s]\n", e.Name, command, strings.Join(args, ", ")), nil
}
