package gate

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
	"sallyport/analyze/python"
)

// TestURLs holds which addresses facts find: those that calls are given, folded,
// and the host as soon as nothing that follows could be a part of it.
func TestURLs(t *testing.T) {
	for _, tt := range []struct {
		code, want string // symbol url host, a … behind what goes on
		language   analyze.Language
	}{
		{code: "import requests\nrequests.get('https://API.x.example./a')", want: "requests.get https://API.x.example./a api.x.example"},
		{code: "import requests\nB = 'https://a.example'\ns = requests.Session()\ns.get(B + '/a')", want: "requests.Session.get https://a.example/a a.example"},
		{code: "import requests\nB = 'https://a.example'\nrequests.get(f'{B}/v1/{input()}')", want: "requests.get https://a.example/v1/… a.example"},
		{code: "import requests\nrequests.get('https://a.example' + input())", want: "requests.get https://a.example… "},
		{code: "import requests\nrequests.get('https://u:p@a.example:8443/')", want: "requests.get https://u:p@a.example:8443/ a.example"},
		{code: "import requests\nrequests.get('http://u@evil.example\\\\@a.example/')", want: "requests.get http://u@evil.example\\@a.example/ "},
		{code: "import requests\nfor u in ['http://a.example/', 'http://b.example/']:\n  requests.get(u)", want: "requests.get http://a.example/ a.example, requests.get http://b.example/ b.example"},
		{code: "def f(u):\n  import requests\n  return requests.get(u)\nf('http://a.example/')", want: "requests.get http://a.example/ a.example"},
		{code: "import http.client\nhttp.client.HTTPSConnection('a.example:8443')", want: "http.client.HTTPSConnection  a.example"},
		{code: "import httpx\nhttpx.Client(base_url='https://a.example')", want: "httpx.Client https://a.example a.example"},
		{code: "x = 'https://a.example/'\nprint(x.upper)\n", want: ""},
		{code: "open('file:///etc/passwd')", want: ""},
		{code: "fetch('https://a.example')", want: "globalThis.fetch https://a.example a.example", language: analyze.JavaScript},
		{code: "const B = 'https://a.example'; fetch(B + '/x/' + process.argv[2]); fetch(`${B}/${process.argv[2]}`)",
			want: "globalThis.fetch https://a.example/x/… a.example, globalThis.fetch https://a.example/… a.example", language: analyze.JavaScript},
		{code: "fetch(`https://${process.argv[2]}.a.example/`)", want: "globalThis.fetch https://… ", language: analyze.JavaScript},
		{code: "require('https').get({hostname: 'a.example', path: '/'})", want: "node:https.get  a.example", language: analyze.JavaScript},
		{code: "require('axios').create({baseURL: 'https://a.example/v1'})", want: "axios.create https://a.example/v1 a.example", language: analyze.JavaScript},
		{code: "fetch(process.argv[2] ? 'http://a.example' : 'http://b.example')",
			want: "globalThis.fetch http://a.example a.example, globalThis.fetch http://b.example b.example", language: analyze.JavaScript},
	} {
		if tt.language == "" {
			tt.language = analyze.Python
		}
		src, err := Facts(context.Background(), analyze.New(python.Reader(), javascript.Reader()), Request{Language: tt.language, Source: []byte(tt.code)})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, u := range src.URLs {
			more := ""
			if !u.Whole {
				more = "…"
			}
			got = append(got, fmt.Sprintf("%s %s%s %s", u.Symbol, u.URL, more, u.Host))
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s\n got %q\nwant %q", tt.code, s, tt.want)
		}
	}
}
