package runner_test

import (
	"bytes"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
)

// TestObservedProgramsMayAskHosts: where a run is only observed, everything that
// it does is told; but what it asks hosts for is on record as that.
func TestObservedProgramsMayAskHosts(t *testing.T) {
	t.Parallel()
	s := sandbox.Spec{Language: "python", Observe: true}
	if !bytes.Contains(runner.Job(s), []byte("native,network,process")) {
		t.Errorf("without a way out: %q", runner.Job(s))
	}
	s.Egress = &sandbox.Egress{}
	if !bytes.Contains(runner.Job(s), []byte("native,process")) {
		t.Errorf("with a way out: %q", runner.Job(s))
	}
}
