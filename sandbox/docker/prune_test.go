package docker

import (
	"context"
	"testing"

	"sallyport/sandbox/sandboxtest"
)

// TestPrune: what was made from the operator's images goes while nobody runs in
// it, the operator's images stay, and a backend that knew it goes on.
func TestPrune(t *testing.T) {
	t.Parallel()
	_, o := newDaemon(t, "size=400m")
	o.Warm = 1
	b := open(t, o)
	ctx, cancel := context.WithTimeout(context.Background(), sandboxtest.Patient)
	defer cancel()
	spec := sandboxtest.Spec("python", "print(42)")
	if err := b.Warm(ctx, spec); err != nil {
		t.Fatal(err)
	}
	if removed, err := b.Prune(ctx); err != nil || len(removed) != 0 {
		t.Errorf("%v, %v were removed while a container waited in one", err, removed)
	}
	o.Warm = 0
	cold := open(t, o)
	run(t, cold, spec)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	removed, err := cold.Prune(ctx)
	if err != nil || len(removed) != 1 {
		t.Fatalf("%v, removed %v, want the one that was prepared", err, removed)
	}
	if _, err := cold.api.ImageInspect(ctx, removed[0].ID); err == nil {
		t.Error("it is still there")
	}
	if _, err := cold.api.ImageInspect(ctx, testImages()["python"]); err != nil {
		t.Errorf("the operator's image: %v", err)
	}
	if r := run(t, cold, spec); string(r.Stdout) != "42\n" {
		t.Errorf("after it: %s %q", r.Reason, r.Stdout)
	}
}
