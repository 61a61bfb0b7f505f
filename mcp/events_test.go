package mcp

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// deadlines remembers until when an answer may be written.
type deadlines struct {
	*httptest.ResponseRecorder
	until []time.Time
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.until = append(d.until, t)
	return nil
}

// An event has its time to be taken, and what comes after it another one: HTTP/2
// breaks off a stream whose time is over, also one in which nothing is written.
func TestEventsMayBeFarApart(t *testing.T) {
	t.Parallel()
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	e := newEvents(http.ResponseWriter(w))
	e.write("output", []byte("{}"))
	if e.err != nil || len(w.until) < 2 || w.until[0].Before(time.Now()) || !w.until[len(w.until)-1].IsZero() {
		t.Errorf("it may be written until %v, %v", w.until, e.err)
	}
}
