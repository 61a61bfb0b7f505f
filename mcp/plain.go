package mcp

import (
	"context"
	"maps"
	"net/http"
	"strconv"
	"time"

	"sallyport/answer"
	"sallyport/gate"
	"sallyport/internal/hint"
)

// The plain API is for programs that are no agents: the same arguments as those
// of the tools, and the answers of the command line.

// API is a Server's plain API.
type API struct{ s *Server }

// NewAPI returns the plain API of a server.
func NewAPI(s *Server) API { return API{s} }

// plainArguments are those of a tool, the language that is its name, and the
// labels of its call.
func plainArguments(known map[string]argument) map[string]argument {
	all := maps.Clone(known)
	all["language"] = (*arguments).readLanguage
	all["labels"] = (*arguments).readLabels
	return all
}

// Check judges the program of a request, without running it.
func (a API) Check(w http.ResponseWriter, r *http.Request, who gate.Principal, body []byte) {
	args, err := readArguments(body, plainArguments(checkArguments()), "language", "code")
	if err != nil {
		plainProblem(w, http.StatusBadRequest, badCall(err))
		return
	}
	a.answer(w, r, who, a.s.checks, func(ctx context.Context) (gate.Answer, error) {
		return a.s.opts.Gate.Check(ctx, a.request(who, "check", args))
	})
}

// Run judges the program of a request and, when policy allows it, runs it.
func (a API) Run(w http.ResponseWriter, r *http.Request, who gate.Principal, body []byte) {
	args, err := readArguments(body, plainArguments(runArguments("", false)), "language", "code")
	if err != nil {
		plainProblem(w, http.StatusBadRequest, badCall(err))
		return
	}
	if p := a.s.wrongEnvironment(r.Context(), who, args); p != nil {
		plainProblem(w, http.StatusBadRequest, *p)
		return
	}
	a.answer(w, r, who, a.s.runs, func(ctx context.Context) (gate.Answer, error) {
		return a.s.opts.Gate.Run(ctx, a.request(who, "run", args))
	})
}

func (a API) request(who gate.Principal, tool string, args arguments) gate.Request {
	req := a.s.request(context.Background(), tool, args)
	req.Principal, req.Client = who, "api"
	return req
}

// answer waits for a turn and answers with what came of it.
func (a API) answer(w http.ResponseWriter, r *http.Request, who gate.Principal, turns *turnstile, work func(context.Context) (gate.Answer, error)) {
	leave, err := turns.enter(r.Context(), key(who))
	if err != nil {
		plainProblem(w, http.StatusServiceUnavailable, a.s.notServed(r.Context(), turns, who, err))
		return
	}
	done, err := work(r.Context())
	leave()
	if err != nil && done.ID == "" {
		p, code := a.s.failed(r.Context(), err), http.StatusInternalServerError
		if p.reason == "quota" {
			code = http.StatusTooManyRequests
		}
		plainProblem(w, code, p)
		return
	}
	out := answer.New(done, nil)
	if err != nil { // what went wrong may name things of the host
		a.s.opts.Log("a call failed: %s", hint.Text(err))
		out.Error = answer.FailureOf(err).Text
	}
	out.Decision.Detail = detail(out.Decision)
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeWait))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = answer.WriteJSON(w, out) // whoever does not read it does not know it
}

func plainProblem(w http.ResponseWriter, code int, p problem) {
	if n := p.seconds(); n > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(n))
	}
	w.Header().Set("Cache-Control", "no-store")
	answerJSON(w, code, map[string]string{"error": p.reason, "detail": p.text})
}
