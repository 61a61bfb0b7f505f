package egress

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sallyport/egress/egresstest"
)

// TestGuards takes each demand on requests away and wants the attacks that it
// stops to come to something else: no attack is there that nothing stops, and no
// check that no attack needs.
func TestGuards(t *testing.T) {
	attacks, err := egresstest.Attacks(apiHost)
	check(t, err)
	stops := map[string][]string{
		"method":          {"CONNECT", "CONNECT over TLS", "CONNECT to another host than TLS", "CONNECT in CONNECT", "CONNECT, then SSH", "TLS for another host than CONNECT", "TRACE", "method of one's own", "HTTP/2: CONNECT"},
		"form":            {"absolute URI with a user", "absolute URI of https", "absolute URI over TLS"},
		"host":            {"decimal address", "hexadecimal address"},
		"one host":        {"HTTP/2: two hosts"},
		"port":            {"other port"},
		"name of the TLS": {"host is not that of TLS", "TLS for another host", "HTTP/2: the host in the place of the name of the TLS"},
		"path": {"dots", "encoded dots", "encoded slash", "encoded slash in a name", "encoded twice", "backslash", "two slashes", "dots with parameters", "dots and a space", "spaces between dots", "three dots", "NUL in the path",
			"line end in the path", "bytes that are no text in the path"},
		"upgrade": {"HTTP/2 by upgrade", "WebSocket"},
		"headers": {"Connection names a header", "method override", "host override", "host override of another make", "address override", "header read in two ways", "trailers"},
	}
	// What one reads besides is read without it, too.
	reads := map[string]func(*http.Request, *Request) *refusal{
		"path": func(r *http.Request, q *Request) *refusal { q.Path, q.Query = r.URL.Path, r.URL.RawQuery; return nil },
	}
	for _, removed := range demands() {
		t.Run(removed.name, func(t *testing.T) {
			t.Parallel()
			if len(stops[removed.name]) == 0 {
				t.Error("no attack needs it")
			}
			for _, name := range stops[removed.name] {
				at := slices.IndexFunc(attacks, func(a egresstest.Attack) bool { return a.Name == name })
				if at < 0 {
					t.Fatalf("there is no attack %q", name)
				}
				a := attacks[at]
				if held(t, newRig(t), a) != "" {
					t.Errorf("%s: it is not held with the demand: %s", name, held(t, newRig(t), a))
				}
				r := newRig(t)
				r.proxy.demands = nil
				for _, c := range demands() {
					if c.name != removed.name {
						r.proxy.demands = append(r.proxy.demands, c)
					} else if fill := reads[c.name]; fill != nil {
						r.proxy.demands = append(r.proxy.demands, demand{c.name, fill})
					}
				}
				if held(t, r, a) == "" {
					t.Errorf("%s: it is held without the demand, too", name)
				}
			}
		})
	}
}

// held says what is wrong where an attack is not held, or "".
func held(t *testing.T, r *rig, a egresstest.Attack) string {
	t.Helper()
	got := exchangeRaw(r.attacker(t, a), string(a.Send))
	events := r.recorded(t)
	var refused, allowed int64
	for _, e := range events {
		switch {
		case e.Ended:
		case e.Allowed:
			allowed++
		case e.Reason == "" || !strings.HasPrefix(e.Reason, a.Reason):
			return "refused for " + e.Reason
		default:
			refused++
		}
	}
	switch {
	case !slices.Contains(strings.Split(a.Want, "|"), got):
		return "got " + got
	case r.h.hits.Load() > a.Hits || allowed != r.h.hits.Load():
		return "more arrived than may, or than is on record"
	case got != "200" && refused == 0:
		return "what was refused is not on record"
	}
	return ""
}

// table says which attacks and tests hold each row of what programs and hosts may
// try. Package sandboxtest has every backend's programs make the attacks, and try a
// secret: gVisor as root and as an ordinary user, runc, crun, Docker, Podman,
// rootless Podman, and Docker with gVisor. Leaks and limits from inside of gVisor,
// runc and Docker are in cmd/sallyport; rows of what hosts do are held here alone.
var table = []struct {
	row     string
	attacks []string
	tests   []func(*testing.T)
}{
	{"hosts that nobody named", []string{"unknown host", "host below", "address", "mapped address"}, []func(*testing.T){TestLiteralAddress}},
	{"hosts that are read in two ways", []string{"decimal address", "hexadecimal address", "full-width host", "host with a space", "two hosts", "no host", "HTTP/2: two hosts"}, nil},
	{"absolute URIs", []string{"absolute URI over another host", "absolute URI with a user", "absolute URI of https", "absolute URI over TLS"}, nil},
	{"another port, another name of the TLS", []string{
		"other port", "host is not that of TLS", "TLS for another host", "CONNECT to another host than TLS", "TLS for another host than CONNECT",
		"HTTP/2: the host in the place of the name of the TLS",
	}, []func(*testing.T){TestHTTP2}},
	{"no name, failed handshakes, no HTTP", []string{
		"TLS without a server name", "TLS for an address", "TLS of a client that trusts nobody", "TLS that is none", "TLS of which a part is missing", "TLS within TLS",
		"no HTTP", "no HTTP over TLS", "HTTP/0.9", "bytes that are no text", "SSH", "HTTP/2: no path", "HTTP/2: a name in capitals", "HTTP/2: line end in a header",
		"HTTP/2: another preface", "HTTP/2: random bytes", "HTTP/2: an oversized frame", "HTTP/2: headers that cannot be unpacked", "HTTP/2: a frame inside of headers",
		"HTTP/2: data of no stream", "HTTP/2: a stream of the server",
	}, []func(*testing.T){TestTLS}},
	{"CONNECT", []string{"CONNECT", "CONNECT over TLS", "CONNECT in CONNECT", "CONNECT, then SSH", "HTTP/2: CONNECT"}, nil},
	{"lengths and encodings", []string{
		"length and chunks", "two lengths", "length with a sign", "unknown transfer encoding", "two transfer encodings", "space before colon", "NUL in a header",
	}, nil},
	{"too long, or one behind the other", []string{"long header", "long line", "second request is judged alone"}, nil},
	{"other protocols and methods", []string{"HTTP/2 in clear text", "HTTP/2 by upgrade", "WebSocket", "TRACE", "method of one's own", "method that no rule has"}, nil},
	{"paths", []string{
		"dots", "encoded dots", "encoded slash", "encoded slash in a name", "encoded twice", "backslash", "two slashes", "dots with parameters", "dots and a space", "spaces between dots", "three dots", "NUL in the path",
		"line end in the path", "bytes that are no text in the path", "denied path that is spelt out",
	}, nil},
	{"headers that change the request", []string{"Connection names a header", "HTTP/2: Connection", "method override", "host override", "host override of another make", "address override", "header read in two ways", "trailers"}, nil},
	{"a secret elsewhere", nil, []func(*testing.T){TestSecret}},
	{"a secret that comes back", nil, []func(*testing.T){TestSecret, TestScrubbing}},
	{"hosts that lie", nil, []func(*testing.T){TestLyingHosts}},
	{"the inside of the network", nil, []func(*testing.T){TestInside, TestRebinding}},
	{"slow, and very many", nil, []func(*testing.T){TestSlowHeaders, TestFlood}},
	{"faults of judge and record", nil, []func(*testing.T){TestFaults, TestAtRandom}},
	{"limits", nil, []func(*testing.T){TestLimits}},
	{"sent twice", nil, []func(*testing.T){TestOnceEach, TestOnceEachHTTP2}},
}

// TestTable: every attack that is refused is one of a row, and every row has
// something that holds it.
func TestTable(t *testing.T) {
	attacks, err := egresstest.Attacks(apiHost)
	check(t, err)
	var known, listed []string
	for _, a := range attacks {
		if a.Want != "200" {
			known = append(known, a.Name)
		}
	}
	for _, row := range table {
		if len(row.attacks)+len(row.tests) == 0 {
			t.Errorf("nothing holds %s", row.row)
		}
		listed = append(listed, row.attacks...)
	}
	slices.Sort(known)
	slices.Sort(listed)
	if diff := cmp.Diff(known, listed); diff != "" {
		t.Error(diff)
	}
}
