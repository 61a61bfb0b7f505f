package mcp

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

// The id of a message that is too long is found wherever it stands, and nothing
// else is taken for it.
func TestOutlineID(t *testing.T) {
	long := strings.Repeat(`x\"{[`, maxOutline)
	for name, tt := range map[string]struct{ message, id string }{
		"first":             {`{"jsonrpc":"2.0","id":7,"method":"m","params":{"id":8,"a":"` + long + `"}}`, "7"},
		"last":              {`{"method":"m","params":{"arguments":{"a":["` + long + `"],"id":8}},"jsonrpc":"2.0","id":"a\"b"}`, `"a\"b"`},
		"beside a string":   {`{"method":"m","x":"` + long + `","id":7}`, "7"},
		"with an escape":    {`{"method":"m","\u0069d":7}`, "7"},
		"none":              {`{"method":"m","params":{"id":8}}`, ""},
		"an answer":         {`{"id":7,"result":{"a":"` + long + `"}}`, ""},
		"of no kind of id":  {`{"method":"m","id":{"id":8}}`, ""},
		"a long one":        {`{"method":"m","id":"` + long + `"}`, ""},
		"a batch":           {`[{"method":"m","id":7}]`, ""},
		"half":              {`{"method":"m","id":7`, ""},
		"many things":       {`{"method":"m",` + strings.Repeat(`"a":1,`, maxOutline) + `"id":7}`, ""},
		"a long name of id": {`{"method":"m","` + long + `":1,"id":7}`, ""},
	} {
		for _, size := range []int{1, 7, len(tt.message)} {
			var o outline
			for at := 0; at < len(tt.message); at += size {
				o.add([]byte(tt.message[at:min(len(tt.message), at+size)]))
			}
			if got := string(o.id()); got != tt.id || len(o.kept) > maxOutline {
				t.Errorf("%s, in parts of %d: id %q, want %q; %d bytes kept", name, size, got, tt.id, len(o.kept))
			}
		}
	}
}

// Who sends too much is answered, by their id, with what to do.
func TestTooLongIsAnswered(t *testing.T) {
	for name, tt := range map[string]struct {
		head, tail, want string
		edit             func(*Options)
	}{
		"the id first": {`{"jsonrpc":"2.0","id":2,"method":"ping","params":{"x":"`, `"}}`, "the operator can name directories", func(*Options) {}},
		"the id last": {`{"method":"ping","params":{"x":"`, `"},"jsonrpc":"2.0","id":2}`, `"from" in place of "content"`,
			func(o *Options) { o.Directories = []string{"data"} }},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, tt.edit)
			f.initialize()
			go func() {
				w := bufio.NewWriter(f.in)
				io.WriteString(w, tt.head)
				for range maxMessage / 1024 {
					io.WriteString(w, strings.Repeat("x", 1024))
				}
				io.WriteString(w, tt.tail+"\n"+`{"jsonrpc":"2.0","id":3,"method":"ping"}`+"\n")
				w.Flush()
			}()
			if m := f.next(); string(m.ID) != "2" || m.Error == nil || m.Error.Code != -32600 ||
				!strings.Contains(m.Error.Message, "32 MiB") || !strings.Contains(m.Error.Message, tt.want) {
				t.Errorf("a message beyond the bound: %+v %+v", m, m.Error)
			}
			if m := f.next(); string(m.ID) != "3" || m.Error != nil {
				t.Errorf("the message after it: %+v", m)
			}
		})
	}
}
