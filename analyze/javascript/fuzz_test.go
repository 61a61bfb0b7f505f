package javascript

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sallyport/analyze"
	"sallyport/internal/yardstick"
)

// seedJavaScript gives a fuzzer the corpus to start from.
func seedJavaScript(f *testing.F) {
	f.Helper()
	for _, kind := range []string{"allow", "deny"} {
		for _, path := range corpusFiles(f, kind) {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
}

// FuzzCanonicalJavaScript: what is canonical stays the same when it is made
// canonical again, and holds nothing that ends lines for some readers only.
func FuzzCanonicalJavaScript(f *testing.F) {
	seedJavaScript(f)
	a := analyze.New(Reader())
	f.Fuzz(func(t *testing.T, raw []byte) {
		src, err := a.Canonical(analyze.JavaScript, "", raw)
		if err != nil {
			return
		}
		if strings.ContainsAny(src.Text(), "\r\x00\u2028\u2029\ufeff") {
			t.Errorf("%q", src.Text())
		}
		again, err := a.Canonical(analyze.JavaScript, "", []byte(src.Text()))
		if err != nil || again.SHA256() != src.SHA256() {
			t.Errorf("%q: again: %v", src.Text(), err)
		}
	})
}

// FuzzFactsJavaScript: facts come for every source, the same each time, in
// bounded time.
func FuzzFactsJavaScript(f *testing.F) {
	seedJavaScript(f)
	a := analyze.New(Reader())
	f.Fuzz(func(t *testing.T, raw []byte) {
		src, err := a.Canonical(analyze.JavaScript, "", raw)
		if err != nil || len(raw) > 64<<10 {
			return
		}
		var one analyze.Facts
		yardstick.Within(t, 10*time.Second, fmt.Sprintf("%d bytes", len(raw)), func() { one, err = a.Facts(context.Background(), src) })
		if err != nil {
			t.Fatal(err)
		}
		two, err := a.Facts(context.Background(), src)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(one, two); diff != "" {
			t.Errorf("%q: not deterministic: %s", raw, diff)
		}
		if !one.Complete && len(one.Syntax) == 0 {
			t.Error("incomplete without a reason")
		}
	})
}
