package analyze

import (
	"cmp"
	"maps"
	"net"
	"slices"
	"strings"
)

// URL is an address, or a host, that a call of an outside symbol is given.
type URL struct {
	Symbol string `json:"symbol"` // that is called
	URL    string `json:"url"`    // as far as it is known; "" where a host alone is named
	Host   string `json:"host"`   // in lower case, without port; "" when it cannot be told
	Whole  bool   `json:"whole"`  // all of URL is known, not only its beginning
	Span   Span   `json:"span"`
}

// Named is a text among the arguments of a call that Args does not show: one
// of which the beginning is known, or an option of an object.
type Named struct {
	Key   string // of the option, "" for an argument
	Text  string
	Whole bool // all of the text is known, not only its beginning
}

// hostKeys are keywords and options that hold a host, without a scheme.
var hostKeys = map[string]bool{"host": true, "hostname": true}

// hostFirst are callables whose first argument is a host.
var hostFirst = map[string]bool{"http.client.HTTPConnection": true, "http.client.HTTPSConnection": true}

// maxURL bounds what is kept of an address. A longer host is none.
const maxURL = 1 << 10

// urls returns the addresses that calls are given, in the order of the source,
// and the hosts in them.
func urls(uses map[string][]Use) (all []URL, hosts []string) {
	all = []URL{}
	seen := map[string]bool{}
	for name, list := range uses {
		for _, u := range list {
			if u.How != HowCall {
				continue
			}
			for _, n := range u.named(name) {
				found, ok := readURL(n)
				if !ok {
					continue
				}
				found.Symbol, found.Span = name, u.Span
				all = append(all, found)
				if found.Host != "" {
					seen[found.Host] = true
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b URL) int {
		return cmp.Or(compareSpans(a.Span, b.Span), cmp.Compare(a.Symbol, b.Symbol), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Host, b.Host))
	})
	return slices.Compact(all), append([]string{}, slices.Sorted(maps.Keys(seen))...)
}

// named are the texts of a call that may name a host.
func (u Use) named(symbol string) []Named {
	all := slices.Clone(u.Named)
	for i, a := range u.Args {
		text, ok := a.Value.(string)
		if !ok || !a.Known {
			continue
		}
		key := a.Name
		if i == 0 && key == "" && hostFirst[symbol] {
			key = "host"
		}
		all = append(all, Named{key, text, true})
	}
	return all
}

// readURL reads an http or https address as far as it is known, or a host
// where one is expected.
func readURL(n Named) (URL, bool) {
	text := strings.TrimSpace(n.Text)
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		if !hostKeys[n.Key] || !n.Whole {
			return URL{}, false
		}
		return URL{Host: readHost(text), Whole: true}, true
	}
	if s := strings.ToLower(scheme); s != "http" && s != "https" {
		return URL{}, false
	}
	u := URL{URL: text[:min(len(text), maxURL)], Whole: n.Whole && len(text) <= maxURL}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		if !n.Whole {
			return u, true // what follows may belong to the host
		}
		end = len(rest)
	}
	u.Host = readHost(rest[:end])
	return u, true
}

// readHost is the host of an authority, or "" where clients could read another
// one.
func readHost(authority string) string {
	if strings.ContainsRune(authority, '\\') {
		return "" // the end of the host to some
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority = authority[at+1:]
	}
	host := authority
	if h, _, err := net.SplitHostPort(authority); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), "."))
	if host == "" || len(host) > 253 || strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || strings.ContainsRune(`\/?#@%<>^|`, r) }) {
		return ""
	}
	return host
}
