package gate_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"sallyport/analyze"
	"sallyport/analyze/python"
	"sallyport/audit"
	"sallyport/gate"
	"sallyport/policies"
	"sallyport/policy"
)

// A gate without a backend judges: nothing is run.
func ExampleGate_Check() {
	engine, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"baseline"}})
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	records, err := audit.Open(audit.Options{Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer records.Close()

	g, err := gate.New(gate.Options{Analyzer: analyze.New(python.Reader()), Policy: engine, Log: records, Program: "example"})
	if err != nil {
		log.Fatal(err)
	}
	for _, source := range []string{"print(6 * 7)", "import os as o\no.system('id')"} {
		answer, err := g.Check(context.Background(), gate.Request{Language: analyze.Python, Source: []byte(source)})
		if err != nil {
			log.Fatal(err) // sallyport could not do its work: treat it as a denial
		}
		fmt.Println(answer.Decision.Effect)
		for _, f := range answer.Decision.Findings {
			fmt.Printf("line %d: %s (%s)\n", f.Span.Line, f.Symbol, f.Rule)
		}
	}
	// Output:
	// allow
	// deny
	// line 2: os.system (process)
}

// What is missing is named; nothing is put in its place that lets code pass.
func ExampleNew() {
	_, err := gate.New(gate.Options{Analyzer: analyze.New(python.Reader()), Log: gate.Discard{}})
	fmt.Println(err)
	// Output: gate: no policy
}
