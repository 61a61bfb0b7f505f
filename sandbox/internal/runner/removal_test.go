package runner_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/sandboxtest"
)

// TestEachHookMatters runs the rows of the conformance suite that are about
// hooks without those of their capability, in an interpreter that was just
// started and in one that waited with its modules: each row must notice, or it
// attacks nothing.
func TestEachHookMatters(t *testing.T) {
	t.Parallel()
	for _, waited := range []bool{false, true} {
		for _, row := range sandboxtest.Rows() {
			if !row.Hooked || row.Control == "" {
				continue
			}
			t.Run(map[bool]string{false: "cold, ", true: "waited, "}[waited]+row.Name, func(t *testing.T) {
				t.Parallel()
				b := newBare(t, nil)
				if waited {
					b.env = []string{runner.Preload(sandboxtest.Preloaded(sandboxtest.Spec(row.Language, "")))}
				}
				b.job = func(s *sandbox.Spec) { s.Grant = append(s.Grant, sandbox.Capability(row.Control)) }
				b.hooks = true
				res := b.run(t, rowSpec(row))
				if bad := row.Want(res); len(bad) == 0 || res.Reason == sandbox.Policy {
					t.Errorf("does not notice that the hook is gone: %s, %v", res.Reason, res.Violations)
				}
			})
		}
	}
}

// rowSpec is what a row asks for.
func rowSpec(row sandboxtest.Row) sandbox.Spec {
	s := sandboxtest.Spec(row.Language, row.Code)
	if row.Edit != nil {
		row.Edit(&s)
	}
	return s
}

// TestHookInPython runs the rows where the interpreter cannot load the hook in
// C, as on a musl that has none for it or with a static interpreter: the other
// one holds, coarser, and the result names it. A run that requires the hook in C
// is refused by name.
func TestHookInPython(t *testing.T) {
	t.Parallel()
	noHook := func(files map[string]string) { delete(files, "hook.so") }
	for _, row := range sandboxtest.Rows() {
		if !row.Hooked || row.Control == "" || row.Language != "python" || row.InC {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			b := newBare(t, noHook)
			res := b.run(t, rowSpec(row))
			if bad := row.Want(res); len(bad) > 0 {
				t.Errorf("%.800q", bad)
			}
			if res.Enforced[sandbox.ControlHook] != "audit hook in Python" {
				t.Errorf("the result says that %q held", res.Enforced[sandbox.ControlHook])
			}
		})
	}
	b := newBare(t, noHook)
	s := sandboxtest.Spec("python", "print('ran')")
	s.Require = []sandbox.Control{sandbox.ControlHook}
	if answer := b.refused(t, s); !strings.Contains(answer, "cannot load the hook in C") {
		t.Errorf("a run that requires the hook in C: %q", answer)
	}
}

// TestLiftedEventsAreThere holds what an exception for a symbol lifts against
// what the interpreters tell.
func TestLiftedEventsAreThere(t *testing.T) {
	for _, language := range []string{"python", "javascript"} {
		symbols := sandbox.SymbolEvents(language)
		for _, symbol := range slices.Sorted(maps.Keys(symbols)) {
			for _, event := range symbols[symbol] {
				if runner.Events()[event] == "" {
					t.Errorf("%s: %s comes to %s, of which no interpreter tells", language, symbol, event)
				}
			}
		}
	}
}
