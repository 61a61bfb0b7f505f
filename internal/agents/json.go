package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Fragment is an entry as a whole file would show it.
func (c Client) Fragment(e Entry) string {
	b, err := c.edit(nil, e)
	if err != nil {
		return ""
	}
	return string(b)
}

// edit returns the configuration with the entry in it. It changes nothing else,
// and refuses what it does not understand.
func (c Client) edit(old []byte, e Entry) ([]byte, error) {
	switch {
	case c.yaml:
		return editYAML(old, e)
	case c.path == nil:
		return editTOML(old, e)
	}
	var value any = struct {
		Type    string   `json:"type,omitempty"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}{c.kind, e.Command, e.Args}
	if c.kind == "local" {
		value = struct {
			Type    string   `json:"type"`
			Command []string `json:"command"`
			Enabled bool     `json:"enabled"`
		}{c.kind, append([]string{e.Command}, e.Args...), true}
	}
	if len(bytes.TrimSpace(old)) == 0 {
		old = []byte("{}\n")
	}
	doc, err := hujson.Parse(old)
	if err != nil {
		return nil, errors.New("not JSON, so it is not edited")
	}
	unit := "  "
	if m := indentation.FindSubmatch(old); m != nil {
		unit = string(m[1])
	}
	if err := setMember(&doc, append(slices.Clone(c.path), e.Name), value, 0, unit); err != nil {
		return nil, err
	}
	return doc.Pack(), nil
}

var indentation = regexp.MustCompile(`\n([ \t]+)"`)

// setMember sets the member at path of an object at some depth. Nothing else in
// it changes, comments and commas neither.
func setMember(doc *hujson.Value, path []string, value any, depth int, unit string) error {
	o, ok := doc.Value.(*hujson.Object)
	if !ok {
		return errors.New("not an object where one is needed, so it is not edited")
	}
	at := -1 // the last of that name is the one that counts
	for i, m := range o.Members {
		if name, ok := m.Name.Value.(hujson.Literal); ok && name.String() == path[0] {
			at = i
		}
	}
	if at < 0 {
		addMember(o, path[0], depth, unit)
		at = len(o.Members) - 1
	}
	member := &o.Members[at].Value
	if len(path) > 1 {
		if err := setMember(member, path[1:], value, depth+1, unit); err != nil {
			return fmt.Errorf("%q: %w", path[0], err)
		}
		return nil
	}
	text, err := marshalIndented(value, depth+1, unit)
	if err != nil {
		return err
	}
	set, err := hujson.Parse(text)
	if err == nil && !sameJSON(*member, set) {
		member.Value = set.Value
	}
	return err
}

// addMember puts an empty object behind the other members, on a line of its own
// and behind the comments that are there.
func addMember(o *hujson.Object, name string, depth int, unit string) {
	added := hujson.ObjectMember{
		Name:  hujson.Value{Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: &hujson.Object{}},
	}
	comments := bytes.TrimRight(o.AfterExtra, " \t\r\n")
	added.Name.BeforeExtra = slices.Concat(hujson.Extra(comments), []byte("\n"+strings.Repeat(unit, depth+1)))
	o.AfterExtra = o.AfterExtra[len(comments):]
	if n := len(o.Members); n == 0 {
		o.AfterExtra = hujson.Extra("\n" + strings.Repeat(unit, depth))
	} else if o.Members[n-1].Value.AfterExtra != nil {
		added.Value.AfterExtra = hujson.Extra{} // the last one has a comma, too
	}
	o.Members = append(o.Members, added)
}

func marshalIndented(v any, depth int, unit string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(strings.Repeat(unit, depth), unit)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

func sameJSON(a, b hujson.Value) bool {
	a, b = a.Clone(), b.Clone()
	a.Minimize()
	b.Minimize()
	return bytes.Equal(a.Pack(), b.Pack())
}
