package serve

import (
	"net/http"
	"time"
)

// answerTime is for a caller to take an answer.
const answerTime = 30 * time.Second

// prompt keeps callers from holding a connection by what they do not do. Before it
// answers and after, net/http waits for the rest of a message without an end, and so
// it does for an answer to be read. Who is let in gets more time for a message, when
// it is read; in HTTP/2 nobody waits for the rest of one.
func prompt(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.SetWriteDeadline(time.Time{}) // of the connection's last answer
		if r.ProtoMajor == 1 && r.ContentLength != 0 {
			_ = control.SetReadDeadline(time.Now().Add(headerTime))
		}
		next.ServeHTTP(&timed{ResponseWriter: w}, r)
		_ = control.SetWriteDeadline(time.Now().Add(answerTime)) // for what is not on its way yet
	})
}

// timed is an answer that has its time from when it begins.
type timed struct {
	http.ResponseWriter
	began bool
}

func (w *timed) begin() {
	if !w.began {
		w.began = true
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(answerTime))
	}
}

// WriteHeader implements http.ResponseWriter.
func (w *timed) WriteHeader(status int) {
	w.begin()
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *timed) Write(b []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w *timed) Unwrap() http.ResponseWriter { return w.ResponseWriter }
