package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/audit"
	"sallyport/sandbox"
)

// However the output is cut into chunks, no secret passes and nothing else is
// lost.
func TestLiveRedaction(t *testing.T) {
	secrets := map[string]string{"LONG": "abcdef-123", "SHORT": "abcd", "INNER": "f-12", "KEY": "line one of a key\nline two of a key", "TINY": "x"}
	for _, text := range []string{
		"", "abc", "abcd", "abcdef-123", "xxabcdef-123yy", "abcdef-12", "abcabcdabcdef-123abcd",
		"abcdef-1abcdef-123", "line one of a key", "before line two of a key after", "f-1f-12f-", "x x x",
	} {
		r := newRedactor(secrets)
		want := string(r.hide([]byte(text)))
		for size := 1; size <= len(text)+1; size++ {
			var got strings.Builder
			emit, flush := r.live(func(_ sandbox.Stream, b []byte) { got.Write(b) })
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				emit(sandbox.Stdout, []byte(rest[:n]))
				rest = rest[n:]
			}
			flush()
			for name, value := range secrets {
				if len(value) >= minSecret && strings.Contains(got.String(), value) {
					t.Fatalf("%q in chunks of %d: %s passed: %q", text, size, name, got.String())
				}
			}
			if size > len(text) && got.String() != want {
				t.Errorf("%q whole: got %q, want %q", text, got.String(), want)
			}
		}
	}
}

// A secret reaches the program and nothing that the program gives.
func TestSecretsOfAnEnvironment(t *testing.T) {
	const secret = "s3cret-value"
	f := newFixture(t)
	f.gate.opts.Environments = map[string]Environment{"data": {
		Runtimes: map[analyze.Language]sandbox.Runtime{analyze.Python: {Interpreter: "/opt/python3"}},
		Env:      map[string]string{"TZ": "UTC"},
		Secrets:  map[string]string{"API_KEY": secret},
	}}
	f.backend.res = sandbox.Result{
		Reason: sandbox.Exited, Stdout: []byte("it is " + secret), Stderr: []byte(secret),
		Artifacts: []sandbox.File{{Path: "a-" + secret, Data: []byte(secret + secret)}},
	}
	req := py("print(1)\n")
	req.Environment = "data"
	ans, err := f.gate.Run(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	rt := f.backend.specs[0].Runtime
	if got := strings.Join(rt.Env, " "); got != "TZ=UTC API_KEY="+secret || rt.Interpreter != "/opt/python3" {
		t.Errorf("runtime %+v", rt)
	}
	res := ans.Result
	all := string(res.Stdout) + string(res.Stderr) + res.Artifacts[0].Path + string(res.Artifacts[0].Data)
	if strings.Contains(all, secret) || string(res.Stdout) != "it is [secret API_KEY]" {
		t.Errorf("the secret passed: %q", all)
	}
	if r := f.log.records[1].Run; r.StdoutSHA256 == digest([]byte("it is "+secret)) {
		t.Error("the record has the hash of the secret output, against which it could be guessed")
	}
}

// spread puts a text into everything below v that can hold one.
func spread(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Struct:
		for i := range v.NumField() {
			spread(v.Field(i), text)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(text))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		spread(v.Index(0), text)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		spread(key, text)
		spread(value, text)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	}
}

// Whatever field of a result, or label of a request, a secret comes in, none
// leaves: not in the answer, not in the record, not in an error. The fields are walked by reflection, so a
// new one fails here until it is decided.
func TestNoSecretInAnyField(t *testing.T) {
	const secret = "s3cret-value"
	of := func(res sandbox.Result, err error) (Answer, []audit.Record, error) {
		f := newFixture(t)
		f.gate.opts.Environments = map[string]Environment{"default": {Secrets: map[string]string{"API_KEY": secret}}}
		f.backend.res, f.backend.err = res, err
		req := py("print(1)\n")
		req.Labels = map[string]string{"k." + secret: "before " + secret + " after"}
		ans, err := f.gate.Run(context.Background(), req)
		return ans, f.log.records, err
	}
	var res sandbox.Result
	spread(reflect.ValueOf(&res).Elem(), "before "+secret+" after")
	res.Reason = sandbox.Exited // of a closed set, which no program extends
	ans, records, err := of(res, nil)
	if err != nil {
		t.Fatal(err)
	}
	var left func(v reflect.Value, at string)
	left = func(v reflect.Value, at string) {
		switch v.Kind() {
		case reflect.String:
			if strings.Contains(v.String(), secret) {
				t.Errorf("%s holds the secret", at)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				left(v.Field(i), at+"."+v.Type().Field(i).Name)
			}
		case reflect.Slice:
			if v.Type().Elem().Kind() == reflect.Uint8 {
				if strings.Contains(string(v.Bytes()), secret) {
					t.Errorf("%s holds the secret", at)
				}
				return
			}
			for i := range v.Len() {
				left(v.Index(i), at+"[]")
			}
		case reflect.Map:
			for _, k := range v.MapKeys() {
				left(k, at+" key")
				left(v.MapIndex(k), at+"{}")
			}
		}
	}
	left(reflect.ValueOf(*ans.Result), "Result")
	for i, r := range records {
		left(reflect.ValueOf(*cmp.Or(r.Run, &audit.Run{})), fmt.Sprint("record ", i))
		left(reflect.ValueOf(r.Caller), fmt.Sprint("caller of record ", i))
	}
	if got := records[0].Caller.Labels["k.[secret API_KEY]"]; got != "before [secret API_KEY] after" {
		t.Errorf("labels on record: %v", records[0].Caller.Labels)
	}

	_, records, err = of(sandbox.Result{}, fmt.Errorf("%w: it said %s", sandbox.ErrUnreadable, secret))
	if err == nil || strings.Contains(err.Error(), secret) || !errors.Is(err, sandbox.ErrUnreadable) {
		t.Errorf("error: %v", err)
	}
	if end := records[1].Run; end == nil || end.Error == "" || strings.Contains(end.Error, secret) {
		t.Errorf("record of the error: %+v", end)
	}
}

// TestRedactingKeepsViolations wants of an attempt, besides what may have a secret in
// it, where it was and whether the run was ended for it.
func TestRedactingKeepsViolations(t *testing.T) {
	all := []sandbox.Violation{{Capability: "process", Detail: "os.system", Line: 3, Stopped: true}, {Capability: "network", Detail: "GET /sesame", Library: true}}
	res := sandbox.Result{Violations: all}
	newRedactor(map[string]string{"KEY": "sesame"}).result(&res)
	if want := []sandbox.Violation{all[0], {Capability: "network", Detail: "GET /[secret KEY]", Library: true}}; !reflect.DeepEqual(res.Violations, want) {
		t.Errorf("%+v, want %+v", res.Violations, want)
	}
}
