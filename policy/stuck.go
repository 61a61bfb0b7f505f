package policy

import (
	"context"
	"fmt"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// stuckTime is how long the search for an endless rule takes at least: many
// times what an ordinary decision needs, also when it is watched. It takes half
// of the time that a decision has where that is more: on a busy machine it would
// name a rule that it has only come to.
const stuckTime = 250 * time.Millisecond

// stuck evaluates once more, watched, what ran out of time, and names the rule
// that it comes to a stop in. It is "" when there is none. Nothing of the
// second evaluation counts.
func (e *Engine) stuck(ctx context.Context, in Input) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(stuckTime, e.timeout/2))
	defer cancel()
	w := &watcher{}
	_, err := e.watchdog.eval(ctx, e.query, rego.EvalParsedInput(e.inputValue(in)), rego.EvalTime(in.Time), rego.EvalQueryTracer(w))
	if err == nil || ctx.Err() == nil || w.last == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d was at work: let it look names up instead of going through all of them", w.last.File, w.last.Row)
}

// watcher remembers the rule that was entered last.
type watcher struct{ last *ast.Location }

func (w *watcher) Enabled() bool { return true }

func (w *watcher) Config() topdown.TraceConfig { return topdown.TraceConfig{} }

func (w *watcher) TraceEvent(ev topdown.Event) {
	if rule, ok := ev.Node.(*ast.Rule); ok && ev.Op == topdown.EnterOp {
		w.last = rule.Loc()
	}
}
