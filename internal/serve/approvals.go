package serve

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"

	"sallyport/answer"
	"sallyport/gate"
	"sallyport/internal/approvals"
	"sallyport/internal/hint"
	"sallyport/mcp"
)

const approvalsPath = "/v1/approvals"

// listApprovals says what waits for an answer in who's tenant.
func (s *Service) listApprovals(t Tenant) handler {
	return func(w http.ResponseWriter, r *http.Request, who gate.Principal, _ []byte) {
		list, err := t.Approvals.List(r.Context(), who)
		if err != nil {
			s.noApproval(w, r, who, err)
			return
		}
		visibly(w, approvals.List{Approvals: list})
	}
}

// showApproval is all of one question.
func (s *Service) showApproval(t Tenant) handler {
	return func(w http.ResponseWriter, r *http.Request, who gate.Principal, _ []byte) {
		v, err := t.Approvals.Show(r.Context(), who, r.PathValue("id"))
		if err != nil {
			s.noApproval(w, r, who, err)
			return
		}
		visibly(w, v)
	}
}

// answerApproval takes who's answer to a question. It is on record before it counts.
func (s *Service) answerApproval(t Tenant) handler {
	return func(w http.ResponseWriter, r *http.Request, who gate.Principal, body []byte) {
		given, err := approvals.ReadAnswer(body)
		if err != nil {
			fail(w, http.StatusBadRequest, "arguments", err.Error())
			return
		}
		v, err := t.Approvals.Answer(r.Context(), who, r.PathValue("id"), given, t.Gate.Answered)
		if err != nil {
			s.noApproval(w, r, who, err)
			return
		}
		visibly(w, v)
	}
}

// noApproval answers why somebody does not see, or answer, a question, on record.
func (s *Service) noApproval(w http.ResponseWriter, r *http.Request, who gate.Principal, err error) {
	id := answer.Clip(answer.Visible(r.PathValue("id")), 128)
	switch {
	case errors.Is(err, approvals.ErrNone):
		s.refused(r, who, fmt.Sprintf("approval refused: %q is none of theirs", id))
		fail(w, http.StatusNotFound, "approval", err.Error())
	case errors.Is(err, approvals.ErrAnswered):
		fail(w, http.StatusConflict, "answered", err.Error())
	case errors.Is(err, approvals.ErrOwn), errors.Is(err, approvals.ErrNotBy):
		s.refused(r, who, fmt.Sprintf("approval refused: %q: %v", id, err))
		fail(w, http.StatusForbidden, "approver", err.Error())
	case errors.Is(err, gate.ErrAway):
		s.turnAway(w, r, s.opts.Tenants[who.Tenant], who, http.StatusServiceUnavailable, mcp.AwayFor, "away", gate.ErrAway.Error())
	default:
		s.opts.Log("an answer could not be recorded: %s", hint.Text(err))
		f := answer.FailureOf(err)
		fail(w, http.StatusInternalServerError, f.Reason, f.Text)
	}
}

// visibly answers with what approvers are shown.
func visibly(w http.ResponseWriter, v any) {
	var b bytes.Buffer
	if err := approvals.WriteJSON(&b, v); err != nil {
		fail(w, http.StatusInternalServerError, "error", "the answer could not be written")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = b.WriteTo(w) // whoever does not read it does not know it
}
