package docker

import (
	"os/exec"
	"testing"

	"sallyport/sandbox/sandboxtest"
)

// BenchmarkCold is a whole run from nothing, of each engine and runtime;
// BenchmarkDockerRun is the same program with the engine's own client.
func BenchmarkCold(b *testing.B) {
	for name, options := range map[string]func(testing.TB) Options{
		"docker": requireDocker, "gvisor": requireGvisor, "podman": requirePodman, "rootless": requireRootless,
	} {
		b.Run(name, func(b *testing.B) {
			backend := open(b, options(b))
			s := sandboxtest.Spec("python", "print(1)")
			run(b, backend, s) // prepares the image
			for b.Loop() {
				run(b, backend, s)
			}
		})
	}
}

func BenchmarkDockerRun(b *testing.B) {
	o := requireDocker(b)
	for b.Loop() {
		out, err := exec.Command("docker", "-H", o.Host, "run", "--rm", "--network=none", o.Images["python"], "-c", "print(1)").CombinedOutput()
		if err != nil || string(out) != "1\n" {
			b.Fatalf("%v: %s", err, out)
		}
	}
}
