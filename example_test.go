package sallyport_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"sallyport"
	"sallyport/analyze"
	"sallyport/config"
	"sallyport/gate"
)

// TestMain gives the examples a log of their own. They run programs, which
// needs runsc.
func TestMain(m *testing.M) {
	if !requireRunsc() {
		fmt.Println("no runsc on PATH: nothing to test")
		return
	}
	dir, err := os.MkdirTemp("/tmp", "sp")
	if err == nil {
		err = errors.Join(os.Setenv("XDG_STATE_HOME", dir), os.Chdir(dir)) // what is below the working directory is nobody's runsc
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		panic(err)
	}
	os.Exit(code)
}

func requireRunsc() bool {
	_, err := exec.LookPath("runsc")
	if err != nil && os.Getenv("REQUIRE_RUNSC") != "" {
		panic("REQUIRE_RUNSC is set and there is no runsc on PATH: make build")
	}
	return err == nil
}

func Example() {
	ctx := context.Background()
	s, err := sallyport.Open(ctx, config.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	answer, err := s.Run(ctx, gate.Request{Name: "sum.py", Language: analyze.Python, Source: []byte("print(6 * 7)")})
	if err != nil {
		fmt.Println(err) // nothing can be said about the program
		return
	}
	fmt.Printf("%s: %s%s with %d\n", answer.Decision.Effect, answer.Result.Stdout, answer.Result.Reason, answer.Result.Exit)
	answer, err = s.Run(ctx, gate.Request{Name: "sh.py", Language: analyze.Python, Source: []byte("import os\nos.system('id')")})
	fmt.Println(answer.Decision.Effect, answer.Decision.Findings[0].Rule, answer.Result == nil, err)
	// Output:
	// allow: 42
	// exited with 0
	// deny process true <nil>
}

// What cannot be had is an error: nothing is opened instead, and nothing stays
// open.
func TestOpenFails(t *testing.T) {
	for _, cfg := range []config.Config{
		{Sandbox: config.Sandbox{Python: "/nosuch/python3", Runsc: "/nosuch/runsc", Backend: "nosuch"}},
		{Policy: config.Policy{Packs: []string{"nosuch"}}},
		{Audit: config.Audit{Dir: "/dev/null"}},
	} {
		if g, err := sallyport.Open(t.Context(), cfg); err == nil || g != nil {
			t.Errorf("%+v was opened", cfg)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if g, err := sallyport.Open(gone, config.Config{}); !errors.Is(err, context.Canceled) || g != nil {
		t.Errorf("opened for nobody: %v", err)
	}
}
