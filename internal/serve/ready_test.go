package serve

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"sallyport/analyze"
	"sallyport/gate"
	"sallyport/mcp"
	"sallyport/sandbox"
)

// cold is a backend whose sandboxes wait, or do not, when the test says so.
type cold struct{ started chan error }

func (cold) Describe() sandbox.Description { return sandbox.Description{Name: "fake"} }

func (cold) Run(context.Context, sandbox.Spec) (sandbox.Result, error) {
	return sandbox.Result{}, errors.New("nothing runs here")
}

func (c cold) Warm(ctx context.Context, _ sandbox.Spec) error {
	select {
	case err := <-c.started:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Whoever balances load sends calls to whom is ready: not to one whose sandboxes
// do not wait, or do not start.
func TestReadyWhenSandboxesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := cold{make(chan error)}
		one := tenant(t, gate.Options{Log: &memoryLog{}, Backend: b}, mcp.Options{Warm: []analyze.Language{analyze.Python}})
		s, err := New(Options{Tenants: map[string]Tenant{"": one}})
		if err != nil {
			t.Fatal(err)
		}
		ready := func(when string, want int) {
			t.Helper()
			synctest.Wait()
			w := httptest.NewRecorder()
			if s.readyz(w, nil); w.Code != want {
				t.Errorf("%s: %d %q, want %d", when, w.Code, w.Body, want)
			}
		}
		go s.warm(t.Context(), one)
		s.ready.Store(true)
		ready("before a sandbox waits", 503)
		b.started <- errors.New("no user namespaces")
		ready("after one that did not start", 503)
		b.started <- nil
		ready("when one waits", 200)
		s.ready.Store(false)
		ready("while it ends", 503)
		one.MCP.Close()
	})
}
