package serve

import (
	"net"
	"net/http"
	"strings"

	"sallyport/telemetry"
)

// metrics answers Prometheus with what all tenants counted. On an address of this
// machine alone a page could have a browser ask, by a name of its own: that name
// is not ours.
func (s *Service) metrics(at net.Addr) http.HandlerFunc {
	all := map[string]*telemetry.Telemetry{}
	for name, t := range s.opts.Tenants {
		all[name] = t.Telemetry
	}
	own := at.(*net.TCPAddr)
	return func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.Host)
		if own.IP.IsLoopback() && host != "localhost" && !net.ParseIP(host).IsLoopback() {
			http.Error(w, "ask for "+own.String(), http.StatusForbidden)
			return
		}
		telemetry.Scrape(w, all)
	}
}

// counted counts answers by what was asked for, as the service calls it, and by
// status: nothing that a client chose.
func (s *Service) counted(next http.Handler) http.Handler {
	count := s.opts.Tenants[""].Telemetry
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &counter{ResponseWriter: w}
		defer func() {
			_, asked, found := strings.Cut(r.Pattern, " ")
			if !found {
				asked = r.Pattern
			}
			count.ObserveAnswer(strings.NewReplacer("{", "", "}", "").Replace(asked), c.said(r))
		}()
		next.ServeHTTP(c, r)
	})
}

// counter remembers the status of an answer.
type counter struct {
	http.ResponseWriter
	status int
}

func (c *counter) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *counter) Write(b []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	return c.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (c *counter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// gone is the status of a call whose client did not wait for the answer, as
// proxies write it down.
const gone = 499

func (c *counter) said(r *http.Request) int {
	switch {
	case c.status != 0:
		return c.status
	case r.Context().Err() != nil:
		return gone
	}
	return http.StatusOK
}
