package gate

import (
	"context"
	"errors"
	"slices"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
	"sallyport/analyze/python"
)

func TestFactsAndInput(t *testing.T) {
	f := newFixture(t)
	req := py("import os as o\no.system('id')\n")
	src, err := Facts(context.Background(), analyze.New(python.Reader(), javascript.Reader()), req)
	if err != nil || !src.Complete || !slices.Contains(src.Names, "os.system") {
		t.Fatalf("Facts() = %+v, %v; want os.system among the names", src, err)
	}
	in, err := f.gate.Input(context.Background(), req)
	if err != nil || in.Source.SHA256 != src.SHA256 || in.Request.Tool != "test" || in.Request.Environment != "default" {
		t.Errorf("Input() = %+v, %v", in, err)
	}
	if len(f.log.records) != 0 || len(f.backend.specs) != 0 {
		t.Error("looking at facts left a record or a run")
	}
	var refusal *analyze.Refusal
	if _, err := Facts(context.Background(), analyze.New(python.Reader(), javascript.Reader()), py("a\x00b")); !errors.As(err, &refusal) {
		t.Errorf("Facts() of a NUL = %v, want a refusal", err)
	}
}
