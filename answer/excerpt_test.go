package answer

import (
	"testing"

	"sallyport/policy"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	const source = "\ufeffone\ntwo \tthree\u202efour\r\nfive"
	for _, tt := range []struct {
		span policy.Span
		want string
	}{
		{policy.Span{Line: 1, Column: 2, EndLine: 1, EndColumn: 3}, "   1 | one\n     |  ^"},
		{policy.Span{Line: 2, Column: 6, EndLine: 2, EndColumn: 12}, "   2 | two  three<U+202E>four\n     |      ^^^^^^^^^^^^^"},
		{policy.Span{Line: 3, Column: 5, EndLine: 3, EndColumn: 5}, "   3 | five\n     |     ^"},
		{policy.Span{Line: 2, Column: 12, EndLine: 3, EndColumn: 2}, "   2 | two  three<U+202E>four\n     |                   ^^^^"},
	} {
		x, ok := NewExcerpt(source, tt.span, ExcerptWidth)
		if !ok || x.String() != tt.want {
			t.Errorf("%+v: %v\n%s\nwant\n%s", tt.span, ok, x, tt.want)
		}
	}
	for _, s := range []policy.Span{{}, {Line: 4, Column: 1}, {Line: 1, Column: 9}, {Line: 1}} {
		if x, ok := NewExcerpt(source, s, ExcerptWidth); ok {
			t.Errorf("%+v: %s", s, x)
		}
	}
}
