package gate

import (
	"context"
	"testing"

	"sallyport/analyze"
	"sallyport/policy"
	"sallyport/sandbox"
)

// What runs is the JavaScript of a TypeScript program, by whose hash it is
// permitted; the record names both.
func TestTypeScriptIsRecorded(t *testing.T) {
	f := newFixture(t)
	f.gate.opts.Environments = map[string]Environment{"default": {Runtimes: map[analyze.Language]sandbox.Runtime{analyze.JavaScript: {}}}}
	const code = "const x: number = 1\nconsole.log(x)\n"
	a, err := f.gate.Run(context.Background(), Request{Language: analyze.TypeScript, Source: []byte(code)})
	if err != nil || a.Decision.Effect != policy.Allow {
		t.Fatalf("%+v, %v", a.Decision, err)
	}
	if s := f.log.records[0].Source; s.Language != "javascript" || s.TypeScriptSHA256 != digest([]byte(code)) || s.SHA256 != digest([]byte("const x         = 1\nconsole.log(x)\n")) {
		t.Errorf("recorded as %+v", s)
	}
	if a.Source.TypeScriptSHA256 == "" || a.Source.SHA256 == a.Source.TypeScriptSHA256 {
		t.Errorf("answered as %+v", a.Source)
	}
	a, err = f.gate.Run(context.Background(), Request{Language: analyze.TypeScript, Source: []byte("let x: = 1")})
	if err != nil || a.Decision.Reason != policy.ReasonSyntax || a.Decision.Findings[0].Rule != "analysis.syntax" || a.Result != nil {
		t.Errorf("%+v, %v", a.Decision, err)
	}

	// A file that is TypeScript by its name is data, and no program loads it.
	a, err = f.gate.Run(context.Background(), Request{Language: analyze.JavaScript, Source: []byte("require('./x.ts')"), Files: []sandbox.File{{Path: "x.ts", Data: []byte("1")}}})
	if err != nil || a.Decision.Effect != policy.Deny || a.Result != nil {
		t.Errorf("%+v, %v", a.Decision, err)
	}
}
