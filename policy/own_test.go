package policy

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const ruleOwn = `package sallyport.rules.acme

# METADATA
# title: No pandas
# custom: {id: acme.no-pandas, severity: high}
deny contains {"rule": "acme.no-pandas", "symbol": m, "message": "no pandas here"} if {
	some m in input.source.imports
	m in data.acme.banned
}

limits contains {"wall_ms": 1000} if input.request.client == "slow"
`

func loadOwn(t *testing.T, files map[string]string) *Policy {
	t.Helper()
	p, err := LoadDir(dirFS(files), "own")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ownFiles() map[string]string {
	return map[string]string{
		"acme.rego":            ruleOwn,
		"acme/data.json":       `{"banned": ["pandas"]}`,
		"catalog/python.txt":   "acme_db.* network\n",
		"README.md":            "not a policy",
		".git/broken.rego":     "not even Rego",
		"acme_test.rego":       "package acme_test\n",
		"sub/dir/library.rego": "package acme.lib\n\nf(x) := x\n",
	}
}

func TestLoadDir(t *testing.T) {
	own := loadOwn(t, ownFiles())
	e, err := New(Options{FS: packFS(ruleSystem), Packs: []string{"p"}, Policies: []*Policy{own}, Limits: Limits{WallMillis: 5000, MemoryBytes: 7}})
	if err != nil {
		t.Fatal(err)
	}
	in := mentions(validInput(), "acme_db.connect", "os.system")
	in.Source.Imports, in.Source.ImportSpans = []string{"pandas"}, map[string][]Span{"pandas": {{Line: 9}}}
	in.Request.Client = "slow"
	d := e.Decide(ctx, in)
	var rules []string
	for _, f := range d.Findings {
		rules = append(rules, f.Rule)
	}
	if diff := cmp.Diff([]string{"system", "acme.no-pandas"}, rules); diff != "" {
		t.Error(diff)
	}
	if d.Findings[1].Span.Line != 9 {
		t.Errorf("the finding about an import stands at %+v", d.Findings[1].Span)
	}
	if diff := cmp.Diff([]string{"p", "own"}, d.Packs); diff != "" {
		t.Error(diff)
	}
	if d.Limits != (Limits{WallMillis: 1000, MemoryBytes: 7}) {
		t.Errorf("limits: %+v", d.Limits)
	}
	if got := e.catalog.classify(in.Source)["network"]; !cmp.Equal(got, []string{"acme_db.connect"}) {
		t.Errorf("the operator's catalog is not used: %v", got)
	}
}

func TestLoadDirRefuses(t *testing.T) {
	tests := []struct{ name, file, text, want string }{
		{"rules in a pack's package", "x.rego", "package sallyport.rules.p\n", `own/x.rego:1: package sallyport.rules.p belongs to the pack "p"`},
		{"the engine's package", "x.rego", "package sallyport\n\ndecision := 1\n", "own/x.rego:1: package sallyport is not for rules"},
		{"below the rules", "x.rego", "package sallyport.rules.a.b\n", "own/x.rego:1: package sallyport.rules.a.b is not for rules"},
		{"data of the engine", "data.json", `{"sallyport": {}}`, "belongs to the product"},
		{"data that is no object", "data.json", `[]`, "own/data.json: not a JSON object"},
		{"data twice", "data.json", `{"acme": {"banned": []}}`, "also defined"},
		{"catalog of another form", "catalog/python.txt", "acme_db\n", `own/catalog/python.txt:1: want "symbol capability`},
		{"an endless file", "x.rego", strings.Repeat("#", maxFileBytes+1), "larger than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := ownFiles()
			files[tt.file] = tt.text
			own, err := LoadDir(dirFS(files), "own")
			if err == nil {
				_, err = New(Options{FS: packFS(ruleSystem), Packs: []string{"p"}, Policies: []*Policy{own}})
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := LoadDir(dirFS(map[string]string{"README.md": ""}), "own"); !errors.Is(err, ErrNoRules) {
		t.Errorf("a directory without rules: %v", err)
	}
}

// TestDigest holds that every part of a policy is in its digest.
func TestDigest(t *testing.T) {
	digest := func(edit func(files map[string]string, o *Options)) string {
		files := ownFiles()
		o := Options{FS: packFS(ruleSystem), Packs: []string{"p"}}
		edit(files, &o)
		o.Policies = []*Policy{loadOwn(t, files)}
		e, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		return e.Decide(ctx, validInput()).Policy
	}
	same := func(map[string]string, *Options) {}
	base := digest(same)
	if base != digest(same) || !strings.HasPrefix(base, "sha256:") || len(base) != 71 {
		t.Fatalf("digest %q", base)
	}
	for name, edit := range map[string]func(map[string]string, *Options){
		"pack":      func(_ map[string]string, o *Options) { o.FS = packFS(ruleSystem + "\n") },
		"catalog":   func(f map[string]string, _ *Options) { f["catalog/python.txt"] = "acme_db.* process\n" },
		"rule":      func(f map[string]string, _ *Options) { f["acme.rego"] += "\n" },
		"data":      func(f map[string]string, _ *Options) { f["acme/data.json"] = `{"banned": []}` },
		"override":  func(_ map[string]string, o *Options) { o.Overrides = map[string]Action{"system": ActionWarn} },
		"exception": func(_ map[string]string, o *Options) { o.Exceptions = []Exception{validException()} },
		"limits":    func(_ map[string]string, o *Options) { o.Limits.WallMillis = 1 },
	} {
		if digest(edit) == base {
			t.Errorf("another %s has the same digest", name)
		}
	}
}

func validException() Exception {
	return Exception{ID: "EX-1", Rule: "system", Owner: "ada", Reason: "migration", Expires: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}
}

func TestOverrides(t *testing.T) {
	in := mentions(validInput(), "os.system")
	tests := []struct {
		action   Action
		effect   Effect
		loosened []string
		deny     []string
	}{
		{ActionDeny, Deny, nil, []string{"process"}},
		{ActionAsk, Ask, []string{"rule system: ask instead of deny"}, []string{}},
		{ActionWarn, Allow, []string{"rule system: warn instead of deny"}, []string{}},
		{ActionLog, Allow, []string{"rule system: log instead of deny"}, []string{}},
	}
	for _, tt := range tests {
		e, err := New(Options{FS: packFS(ruleSystem), Packs: []string{"p"}, Overrides: map[string]Action{"system": tt.action}})
		if err != nil {
			t.Fatal(err)
		}
		d := e.Decide(ctx, in)
		if d.Effect != tt.effect || d.Findings[0].Action != tt.action {
			t.Errorf("%s: effect %s, finding %+v", tt.action, d.Effect, d.Findings)
		}
		if diff := cmp.Diff(tt.loosened, d.Loosened); diff != "" {
			t.Errorf("%s: %s", tt.action, diff)
		}
		if diff := cmp.Diff(tt.deny, d.Deny); diff != "" {
			t.Errorf("%s: %s", tt.action, diff)
		}
		if tt.effect == Ask {
			if _, err := d.Approve(true).Permit(); err != nil {
				t.Errorf("approved, and no permit: %v", err)
			}
			if _, err := d.Approve(false).Permit(); !errors.Is(err, ErrDenied) {
				t.Errorf("refused: %v", err)
			}
		}
	}
	for action, want := range map[string]string{"sytem": `did you mean "system"?`, "zzzzzzzz": "unknown rule"} {
		_, err := New(Options{FS: packFS(ruleSystem), Packs: []string{"p"}, Overrides: map[string]Action{action: ActionWarn}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("override of %s: %v", action, err)
		}
	}
	if _, err := New(Options{FS: packFS(ruleSystem), Packs: []string{"p"}, Overrides: map[string]Action{"system": "allow"}}); err == nil {
		t.Error("an unknown action is taken")
	}
}

func TestExceptions(t *testing.T) {
	tests := []struct {
		name string
		edit func(*Exception, *Input)
		used bool
	}{
		{"covers", func(*Exception, *Input) {}, true},
		{"narrow and met", func(x *Exception, in *Input) {
			x.Symbols, x.SHA256, x.Languages, x.Clients = []string{"os.system"}, []string{someHash}, []string{"python"}, []string{"ci"}
			in.Request.Client = "ci"
		}, true},
		{"another symbol", func(x *Exception, _ *Input) { x.Symbols = []string{"os.popen"} }, false},
		{"another source", func(x *Exception, _ *Input) { x.SHA256 = []string{strings.Repeat("0", 64)} }, false},
		{"another language", func(x *Exception, _ *Input) { x.Languages = []string{"javascript"} }, false},
		{"another client", func(x *Exception, _ *Input) { x.Clients = []string{"ci"} }, false},
		{"another user", func(x *Exception, _ *Input) { x.Users = []string{"root"} }, false},
		{"a group of the principal's", func(x *Exception, in *Input) {
			x.Groups, in.Request.Principal.Groups = []string{"a", "quants"}, []string{"quants"}
		}, true},
		{"another group", func(x *Exception, in *Input) {
			x.Groups, in.Request.Principal.Groups = []string{"quants"}, []string{"quant", "quants2"}
		}, false},
		{"another environment", func(x *Exception, _ *Input) { x.Environments = []string{"lab"} }, false},
		{"another rule", func(x *Exception, _ *Input) { x.Rule = "other" }, false},
	}
	other := "\n# METADATA\n# title: Other\n# custom: {id: other}\ndeny contains {\"rule\": \"other\", \"message\": \"m\"} if \"never\" in input.source.names\n"
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x, in := validException(), mentions(validInput(), "os.system")
			tt.edit(&x, &in)
			e, err := New(Options{FS: packFS(ruleSystem + other), Packs: []string{"p"}, Exceptions: []Exception{x}})
			if err != nil {
				t.Fatal(err)
			}
			d := e.Decide(ctx, in)
			if !tt.used {
				if d.Effect != Deny || d.Exceptions != nil || !cmp.Equal(d.Deny, []string{"process"}) {
					t.Errorf("the exception was used: %+v", d)
				}
				return
			}
			if d.Effect != Allow || !cmp.Equal(d.Exceptions, []string{"EX-1"}) || d.Findings[0].Action != ActionLog || len(d.Deny) != 0 || !cmp.Equal(d.Lifted, map[string][]string{"process": {"os.system"}}) {
				t.Errorf("the exception was not used: %+v", d)
			}
		})
	}
}

func TestExceptionExpired(t *testing.T) {
	e, err := New(Options{FS: packFS(ruleSystem), Packs: []string{"p"}, Exceptions: []Exception{validException()}})
	if err != nil {
		t.Fatal(err)
	}
	in := mentions(validInput(), "os.system")
	in.Time = validException().Expires
	d := e.Decide(ctx, in)
	if d.Effect != Deny || d.Exceptions != nil || !strings.Contains(d.Findings[0].Message, "exception EX-1 expired on 2026-06-01") {
		t.Errorf("%+v", d)
	}
	in.Time = in.Time.Add(-time.Nanosecond)
	if d := e.Decide(ctx, in); d.Effect != Allow {
		t.Errorf("a moment earlier: %+v", d)
	}
}

func TestExceptionRefused(t *testing.T) {
	for want, edit := range map[string]func(*Exception){
		"needs an id":     func(x *Exception) { x.ID = "" },
		"needs a rule":    func(x *Exception) { x.Rule = " " },
		"needs an owner":  func(x *Exception) { x.Owner = "" },
		"needs a reason":  func(x *Exception) { x.Reason = "" },
		"needs a date":    func(x *Exception) { x.Expires = time.Time{} },
		`mean "system"?`:  func(x *Exception) { x.Rule = "systen" },
		"unknown rule \"": func(x *Exception) { x.Rule = "something-else" },
	} {
		x := validException()
		edit(&x)
		_, err := New(Options{FS: packFS(ruleSystem), Packs: []string{"p"}, Exceptions: []Exception{x}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// keyPair returns a private and a public key in PEM.
func keyPair(t *testing.T) (private, public string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	priv, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pub, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: priv})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pub}))
}

func TestBundle(t *testing.T) {
	private, public := keyPair(t)
	_, stranger := keyPair(t)
	files := ownFiles()
	write := func(o BundleOptions) []byte {
		var b bytes.Buffer
		if err := loadOwn(t, files).WriteBundle(&b, o); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	unsigned := write(BundleOptions{Revision: "r7"})
	signed := write(BundleOptions{Revision: "r7", Key: private, KeyID: "k", Algorithm: "ES256"})
	known := &Keys{Algorithm: "ES256", Keys: map[string]string{"k": public}}

	own, err := LoadBundle(bytes.NewReader(signed), "b.tar.gz", known)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(Options{FS: packFS(ruleSystem), Packs: []string{"p"}, Policies: []*Policy{own}})
	if err != nil {
		t.Fatal(err)
	}
	in := validInput()
	in.Source.Imports = []string{"pandas"}
	if d := e.Decide(ctx, in); d.Effect != Deny || d.Revision != "r7" || d.Findings[0].Rule != "acme.no-pandas" {
		t.Errorf("%+v", d)
	}
	if got, ok := e.Classify("python", "acme_db.connect"); !ok || !slices.Equal(got, []string{"network", "network.socket"}) {
		t.Errorf("the catalog of the bundle says %v of acme_db.connect", got)
	}
	if _, err := LoadBundle(bytes.NewReader(unsigned), "b.tar.gz", nil); err != nil {
		t.Errorf("unsigned, and no signature asked for: %v", err)
	}
	for name, tt := range map[string]struct {
		text []byte
		keys *Keys
		want string
	}{
		"unsigned":       {unsigned, known, "not signed by a known key"},
		"another key":    {signed, &Keys{Algorithm: "ES256", Keys: map[string]string{"k": stranger}}, "not signed by a known key"},
		"another id":     {signed, &Keys{Algorithm: "ES256", Keys: map[string]string{"q": public}}, "b.tar.gz"},
		"no keys":        {signed, &Keys{Algorithm: "ES256"}, "b.tar.gz"},
		"truncated":      {signed[:len(signed)/2], known, "b.tar.gz: "},
		"not an archive": {[]byte("hello"), known, "b.tar.gz: "},
	} {
		if _, err := LoadBundle(bytes.NewReader(tt.text), "b.tar.gz", tt.keys); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}

func TestPacksExpand(t *testing.T) {
	fsys := packFS(ruleSystem)
	pack := func(name, custom string) {
		fsys[name+"/a.rego"] = dirFS(map[string]string{"x": "# METADATA\n# title: T\n# custom: " + custom + "\npackage sallyport.rules." + name + "\n"})["x"]
	}
	pack("watch", "{includes: [p], at_most: log}")
	pack("more", "{includes: [watch]}")
	pack("loop", "{includes: [loop]}")
	pack("odd", "{at_most: nothing}")
	effective := func(packs ...string) Action {
		e, err := New(Options{FS: fsys, Packs: packs})
		if err != nil {
			t.Fatal(err)
		}
		return e.Rules()[0].Effective
	}
	if got := effective("watch"); got != ActionLog {
		t.Errorf("watch: %s", got)
	}
	if got := effective("more"); got != ActionLog {
		t.Errorf("more: %s", got)
	}
	if got := effective("watch", "p"); got != ActionDeny {
		t.Errorf("watch beside p: %s", got)
	}
	for pack, want := range map[string]string{"loop": "includes itself", "odd": "at_most", "wach": `did you mean "watch"?`} {
		if _, err := New(Options{FS: fsys, Packs: []string{pack}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", pack, err)
		}
	}
}

// TestBuiltins holds what rules must not call.
func TestBuiltins(t *testing.T) {
	for _, call := range []string{"http.send({})", `net.lookup_ip_addr("x")`, "opa.runtime()", `rand.intn("x", 9)`, `uuid.rfc4122("x")`} {
		text := strings.Replace(ruleSystem, `name == "os.system"`, call, 1)
		if _, err := New(Options{FS: packFS(text), Packs: []string{"p"}}); err == nil || !strings.Contains(err.Error(), "undefined function") {
			t.Errorf("%s: %v", call, err)
		}
	}
}

func TestLookup(t *testing.T) {
	table := table{"os": {"benign"}, "os.*": {"unknown"}, "os.system": {"process"}, "sys.stdout": {"benign"}, "sub.*": {"process"}}
	for name, want := range map[string]string{
		"os": "benign", "os.new": "unknown", "os.system": "process", "os.system.deep": "process", "sys.stdout.write": "benign",
		"sub": "process", "sub.run": "process", "sub.a.b": "process", "other": "", "osx": "", "sys": "",
	} {
		caps, ok := table.lookup(name)
		if got := strings.Join(caps, ","); got != want || ok != (want != "") {
			t.Errorf("lookup(%s) = %q, want %q", name, got, want)
		}
	}
}
