package mcp

import (
	"encoding/json"
	"fmt"
)

const (
	maxOutline = 8 << 10 // of what is kept of a message that is too long
	maxOutText = 1 << 10 // of one string in it
)

// outline is what is kept of a JSON message that is too long to be read: its first
// level, where the id is. What is below that level is left out, and a long string
// is null. Clients write the id first or last, so all of a message has to pass.
type outline struct {
	kept     []byte
	depth    int
	quoted   bool // inside of a string
	escaped  bool // behind a backslash
	text     int  // where the string begins in kept
	dropping bool // that string
	full     bool // nothing more is kept, nor what was
}

// add takes the next part of the message.
func (o *outline) add(part []byte) {
	for _, c := range part {
		if o.full {
			return
		}
		level := o.depth
		switch {
		case o.escaped:
			o.escaped = false
		case o.quoted && c == '\\':
			o.escaped = true
		case o.quoted && c == '"':
			o.quoted = false
			if o.dropping {
				o.dropping = false
				continue
			}
		case o.quoted:
		case c == '"':
			o.quoted, o.text = true, len(o.kept)
		case c == '{', c == '[':
			o.depth++
		case c == '}', c == ']':
			o.depth--
			level = o.depth
		}
		if level <= 1 && !o.dropping {
			o.keep(c)
		}
	}
}

func (o *outline) keep(c byte) {
	o.kept = append(o.kept, c)
	if o.quoted && len(o.kept)-o.text > maxOutText {
		o.kept, o.dropping = append(o.kept[:o.text], "null"...), true
	}
	if len(o.kept) > maxOutline {
		o.kept, o.full = nil, true
	}
}

// id is that of the request that the message is, nil if it is none.
func (o *outline) id() json.RawMessage {
	var e envelope
	if json.Unmarshal(o.kept, &e) != nil || e.Method == nil {
		return nil
	}
	id, ok := idOf(e.ID)
	if !ok {
		return nil
	}
	return id
}

// tooLong says of a message that it was not read, and how the same is had.
func (o *Options) tooLong() string {
	how := "the operator can name directories for that (files in sallyport.yaml)"
	if len(o.Directories) > 0 {
		how = `"from" in place of "content"`
	}
	return fmt.Sprintf("the message is longer than %d MiB and was not read: nothing ran. Have large files read where they are: %s", maxMessage>>20, how)
}
