package serve

import (
	"fmt"
	"net"
	"net/http"
	"testing"

	"sallyport/config"
)

// TestProxies: from which address a call comes is what the service's own proxy says,
// and nothing that anybody else says of it, who is not even answered.
func TestProxies(t *testing.T) {
	t.Parallel()
	proxied := func(c *config.Serve) { c.Proxies = []string{"127.0.0.7", "::ffff:127.0.0.8"} }
	from := func(address string) func(*http.Request) { return header("X-Forwarded-For", address) }
	for _, tt := range []struct {
		name, peer string
		edit       func(*config.Serve)
		says       []func(*http.Request)
		status     int
		address    string // on record; "" for what is refused before anybody is asked who they are
	}{
		{"no proxy, nothing said", "127.0.0.9", func(*config.Serve) {}, nil, http.StatusUnauthorized, "127.0.0.9"},
		{"no proxy, an address of the caller's choice", "127.0.0.9", func(*config.Serve) {}, []func(*http.Request){from("203.0.113.9")}, http.StatusUnauthorized, "127.0.0.9"},
		{"the proxy", "127.0.0.7", proxied, []func(*http.Request){from("203.0.113.9")}, http.StatusUnauthorized, "203.0.113.9"},
		{"the other proxy", "127.0.0.8", proxied, []func(*http.Request){from("2001:db8::9")}, http.StatusUnauthorized, "2001:db8::9"},
		{"somebody else", "127.0.0.9", proxied, []func(*http.Request){from("127.0.0.7")}, http.StatusForbidden, ""},
		{"somebody else, nothing said", "127.0.0.9", proxied, nil, http.StatusForbidden, ""},
		{"the proxy says nothing", "127.0.0.7", proxied, nil, http.StatusBadRequest, ""},
		{"the proxy adds to what a caller said", "127.0.0.7", proxied, []func(*http.Request){from("10.0.0.1, 203.0.113.9")}, http.StatusBadRequest, ""},
		{"the proxy passes a second one on", "127.0.0.7", proxied,
			[]func(*http.Request){from("203.0.113.9"), func(r *http.Request) { r.Header.Add("X-Forwarded-For", "10.0.0.1") }}, http.StatusBadRequest, ""},
		{"a name", "127.0.0.7", proxied, []func(*http.Request){from("admin")}, http.StatusBadRequest, ""},
		{"a zone of any text", "127.0.0.7", proxied, []func(*http.Request){from("fe80::1%admin")}, http.StatusBadRequest, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := start(t, tt.edit)
			f.client.Transport.(described).RoundTripper.(*http.Transport).DialContext = (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(tt.peer)}}).DialContext
			status, _, text := f.send(append(tt.says, header("Authorization", "Bearer spt_GUESS"))...)
			if status != tt.status {
				t.Errorf("%d %s, want %d", status, text, tt.status)
			}
			var got string
			for _, r := range f.log.all() {
				got += r.Caller.Address
			}
			if got != tt.address {
				t.Errorf("on record is the address %q, want %q", got, tt.address)
			}
		})
	}
	f := start(t, func(c *config.Serve) { c.Proxies = []string{"127.0.0.1"} })
	if status, _, text := f.send(from("203.0.113.9")); status != http.StatusOK {
		t.Errorf("who may ask, by the proxy: %s", fmt.Sprint(status, " ", text))
	}
}
