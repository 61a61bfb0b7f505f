package telemetry

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// checkListen refuses an address that others than this machine can reach:
// metrics are served without a password.
func checkListen(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%q is not an address and a port, such as 127.0.0.1:9464", address)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("%q is not an address and a port, such as 127.0.0.1:9464", address)
	}
	if !loopback(host) {
		return fmt.Errorf("%q is not a loopback address: metrics are served to this machine alone, on 127.0.0.1 or ::1", address)
	}
	return nil
}

// loopback reports whether a host, as written, can be this machine alone. A
// name would be what the resolver makes of it, but for localhost.
func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback() || host == "localhost"
}

// maxScrapers bounds connections: everybody on this machine can open some, and
// descriptors are needed for sandboxes.
const maxScrapers = 16

// server serves metrics to Prometheus.
type server struct {
	http    *http.Server
	address string
	done    chan struct{}
}

func (t *Telemetry) serve(address string) (*server, error) {
	host, port, _ := net.SplitHostPort(address)
	if host == "localhost" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	s := &server{address: l.Addr().String(), done: make(chan struct{})}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(t.scraped),
		ReadHeaderTimeout: 2 * time.Second,
		ReadTimeout:       2 * time.Second,
		WriteTimeout:      5 * time.Second,
		IdleTimeout:       10 * time.Second,
		MaxHeaderBytes:    8 << 10,
	}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(&limited{Listener: l, slots: make(chan struct{}, maxScrapers)}) // ends with close, or with the listener
	}()
	return s, nil
}

func (s *server) close() error {
	err := s.http.Close()
	<-s.done
	return err
}

// limited is a listener whose connections beyond a number are closed at once.
type limited struct {
	net.Listener
	slots chan struct{}
}

// Accept implements net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.slots <- struct{}{}:
			return &slot{Conn: c, slots: l.slots}, nil
		default:
			_ = c.Close() // whoever is refused notices
		}
	}
}

type slot struct {
	net.Conn
	slots chan struct{}
	once  sync.Once
}

// Close implements net.Conn.
func (s *slot) Close() error {
	s.once.Do(func() { <-s.slots })
	return s.Conn.Close()
}

// scraped serves one scrape. A page in somebody's browser that had its name
// resolve to 127.0.0.1 sends that name, and gets nothing.
func (t *Telemetry) scraped(w http.ResponseWriter, r *http.Request) {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	switch {
	case !loopback(strings.Trim(host, "[]")):
		http.Error(w, "ask for 127.0.0.1", http.StatusForbidden)
	case r.URL.Path != "/metrics":
		http.NotFound(w, r)
	case r.Method != http.MethodGet:
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
	default:
		Scrape(w, map[string]*Telemetry{"": t})
	}
}

// Scrape answers Prometheus with what the parts of a service counted, each under
// its tenant's name; what is of none has no such label.
func Scrape(w http.ResponseWriter, tenants map[string]*Telemetry) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(page(tenants)) // a scraper that has gone needs no answer
}

// page is what was counted, in Prometheus's text format, in which all of a metric
// stands together.
func page(tenants map[string]*Telemetry) []byte {
	var b strings.Builder
	var all []series
	for _, name := range slices.Sorted(maps.Keys(tenants)) {
		t := tenants[name]
		if t == nil {
			continue
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "# HELP sallyport_build_info The version that is running.\n# TYPE sallyport_build_info gauge\nsallyport_build_info{version=%s} 1\n", quote(t.who.version))
		}
		for _, s := range t.metrics.snapshot() {
			if name != "" {
				s.labels = append(slices.Clone(s.labels), label{"tenant", name})
			}
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b series) int { return strings.Compare(a.name, b.name) })
	last := ""
	for _, s := range all {
		name := s.prometheusName()
		if name != last {
			fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, s.help, name, map[kind]string{counter: "counter", gauge: "gauge", histogram: "histogram"}[s.kind])
			last = name
		}
		if s.kind != histogram {
			fmt.Fprintf(&b, "%s%s %s\n", name, braces(s.labels), number(s.value))
			continue
		}
		sum := uint64(0)
		for n, c := range s.counts {
			sum += c
			le := "+Inf"
			if n < len(bounds) {
				le = number(bounds[n])
			}
			fmt.Fprintf(&b, "%s_bucket%s %d\n", name, braces(s.labels, label{"le", le}), sum)
		}
		fmt.Fprintf(&b, "%s_sum%s %s\n%s_count%s %d\n", name, braces(s.labels), number(s.sum), name, braces(s.labels), s.count)
	}
	return []byte(b.String())
}

func (s series) prometheusName() string {
	name := strings.ReplaceAll(s.name, ".", "_")
	if s.unit == "s" {
		name += "_seconds"
	}
	if s.kind == counter {
		name += "_total"
	}
	return name
}

func braces(labels []label, more ...label) string {
	var parts []string
	for _, l := range append(append([]label{}, labels...), more...) {
		parts = append(parts, l.key+"="+quote(l.value))
	}
	if len(parts) == 0 {
		return ""
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func quote(v string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(v) + `"`
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
