package policies_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"sallyport/policies"
	"sallyport/policy"
)

// program is the input of an ordinary file of a hundred lines: some 60 symbols,
// 200 mentions, 120 attributes, 80 strings.
func program() policy.Input {
	src := policy.Source{
		Version: policy.FactsVersion, Language: "python", Goal: "script", SHA256: strings.Repeat("a", 64),
		Bytes: 3500, Lines: 100, Complete: true,
		Uses:        map[string][]policy.Use{},
		Imports:     []string{"collections", "csv", "json", "math", "os", "pathlib", "re", "statistics", "sys", "time"},
		ImportSpans: map[string][]policy.Span{},
		AttrSpans:   map[string]policy.Span{},
		Dynamic:     map[string][]policy.Span{},
	}
	span := policy.Span{Line: 10, Column: 5, EndLine: 10, EndColumn: 20}
	for _, m := range src.Imports {
		src.ImportSpans[m] = []policy.Span{span}
		for i := range 5 {
			src.Names = append(src.Names, fmt.Sprintf("%s.f%d", m, i))
		}
	}
	src.Names = append(src.Names, "builtins.len", "builtins.open", "builtins.print", "builtins.range", "os.environ.get", "os.path.join")
	for i, n := range src.Names {
		for range 1 + i%6 {
			src.Uses[n] = append(src.Uses[n], policy.Use{How: "call", Certainty: "exact", Span: span, Args: []policy.Arg{{Value: "data.csv", Known: true}, {}}})
		}
	}
	for i := range 120 {
		a := fmt.Sprintf("attr%d", i)
		src.Attrs = append(src.Attrs, a)
		src.AttrSpans[a] = span
	}
	for i := range 80 {
		src.Strings = append(src.Strings, fmt.Sprintf("text %d", i))
	}
	return policy.Input{Source: src}
}

func BenchmarkNew(b *testing.B) {
	for _, pack := range []string{"baseline", "strict", "data-science", "observe"} {
		b.Run(pack, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{pack}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecide(b *testing.B) {
	for _, pack := range []string{"baseline", "strict"} {
		e, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{pack}})
		if err != nil {
			b.Fatal(err)
		}
		in := program()
		b.Run(pack, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e.Decide(context.Background(), in)
			}
		})
		b.Run(pack+"/parallel", func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					e.Decide(context.Background(), in)
				}
			})
		})
	}
}

// manyRules is an operator's policy of n rules.
func manyRules(tb testing.TB, n int) *policy.Policy {
	var text strings.Builder
	text.WriteString("package sallyport.rules.many\n")
	for i := range n {
		fmt.Fprintf(&text, "\n# METADATA\n# title: Rule %[1]d\n# custom: {id: many.r%[1]d}\ndeny contains {\"rule\": \"many.r%[1]d\", \"message\": \"no\"} if \"bad.f%[1]d\" in input.source.names\n", i)
	}
	p, err := policy.LoadDir(fstest.MapFS{"many.rego": {Data: []byte(text.String())}}, "many")
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// BenchmarkCustomRules judges 200 mentions by 300 rules of an operator.
func BenchmarkCustomRules(b *testing.B) {
	e, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"baseline"}, Policies: []*policy.Policy{manyRules(b, 300)}})
	if err != nil {
		b.Fatal(err)
	}
	in := program()
	for b.Loop() {
		e.Decide(context.Background(), in)
	}
}
