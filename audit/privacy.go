package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaskRule hides one part of every record before it is hashed and written. Path
// is a JSON pointer; the segment * stands for every element of a list or member
// of an object. Without a Replacement what is there is removed, else a string
// there becomes the Replacement and anything else is removed.
type MaskRule struct {
	Path        string
	Replacement string
}

// maskable are the members whose content is free, with what is below them. The
// others carry the chain, say what the record is, or tie it to others.
var maskable = []string{"caller", "source", "verdict", "run", "egress", "answer", "note", "cell/name", "approval/by", "approval/reason"}

// parseMask checks a rule and splits its path.
func (m MaskRule) parse() ([]string, error) {
	path, ok := strings.CutPrefix(m.Path, "/")
	if !ok {
		return nil, fmt.Errorf("mask %q: a JSON pointer begins with /", m.Path)
	}
	if !slices.ContainsFunc(maskable, func(free string) bool { return path == free || strings.HasPrefix(path, free+"/") }) {
		return nil, fmt.Errorf("mask %q: only %s can be masked, and what is below", m.Path, strings.Join(maskable, ", "))
	}
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(p)
	}
	return parts, nil
}

// mask applies the rules to rec and lists in it what they hid.
func mask(rec Record, rules []MaskRule) (Record, error) {
	if len(rules) == 0 {
		return rec, nil
	}
	text, err := json.Marshal(rec)
	if err != nil {
		return Record{}, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var tree map[string]any
	if err := dec.Decode(&tree); err != nil {
		return Record{}, err
	}
	hidden := slices.Clone(rec.Masked)
	for _, rule := range rules {
		parts, err := rule.parse()
		if err != nil {
			return Record{}, err
		}
		hide(tree, parts, "", rule.Replacement, &hidden)
	}
	if len(hidden) == len(rec.Masked) {
		return rec, nil
	}
	slices.Sort(hidden)
	tree["masked"] = slices.Compact(hidden)
	if text, err = json.Marshal(tree); err != nil {
		return Record{}, err
	}
	var out Record
	if err := json.Unmarshal(text, &out); err != nil {
		return Record{}, fmt.Errorf("masking: %v", err)
	}
	return out, nil
}

// hide removes or replaces what path leads to below node, and notes where. It
// returns what node becomes.
func hide(node any, path []string, at, replacement string, hidden *[]string) any {
	switch n := node.(type) {
	case map[string]any:
		for _, key := range keysOf(n, path[0]) {
			here := at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
			if len(path) > 1 {
				n[key] = hide(n[key], path[1:], here, replacement, hidden)
				continue
			}
			*hidden = append(*hidden, here)
			if _, isText := n[key].(string); isText && replacement != "" {
				n[key] = replacement
			} else {
				delete(n, key)
			}
		}
		return n
	case []any:
		return hideInList(n, path, at, replacement, hidden)
	}
	return node
}

func hideInList(list []any, path []string, at, replacement string, hidden *[]string) any {
	kept := list[:0:0]
	for i, item := range list {
		here := at + "/" + strconv.Itoa(i)
		_, isText := item.(string)
		switch {
		case path[0] != "*" && path[0] != strconv.Itoa(i):
			kept = append(kept, item)
		case len(path) > 1:
			kept = append(kept, hide(item, path[1:], here, replacement, hidden))
		default:
			*hidden = append(*hidden, here)
			if isText && replacement != "" {
				kept = append(kept, replacement)
			}
		}
	}
	return kept
}

func keysOf(n map[string]any, want string) []string {
	var keys []string
	for k := range n {
		if want == "*" || want == k {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}
