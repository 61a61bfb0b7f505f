package rootfs

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
)

// Scratch is a writable directory in memory of so many bytes and files, for
// data and not for programs.
func Scratch(dir string, size int64, files int) specs.Mount {
	return specs.Mount{
		Destination: dir, Type: "tmpfs", Source: "tmpfs",
		Options: []string{"nosuid", "nodev", "noexec", "mode=0700",
			fmt.Sprintf("uid=%d", runner.Nobody), fmt.Sprintf("gid=%d", runner.Nobody),
			fmt.Sprintf("size=%d", min(max(size, 1<<16), math.MaxInt64)),
			fmt.Sprintf("nr_inodes=%d", files)},
	}
}

// Mounts are the given ones and those of a run: the parts of the root file
// system, with programs or without, and the operator's directories. readOnly is
// how a mount is made that nothing can be written to, with all below it.
func Mounts(given []specs.Mount, in Interpreter, s sandbox.Spec, programs bool, readOnly string) []specs.Mount {
	out := slices.Clone(given)
	grafts := in.Grafts(programs)
	if in.Image != "" {
		grafts = nil // they are in it
	}
	for _, b := range grafts {
		out = append(out, specs.Mount{
			Destination: b.Target, Type: "bind", Source: b.Source,
			Options: []string{"rbind", readOnly, "nosuid", "nodev"},
		})
	}
	for _, m := range s.Runtime.Mounts {
		options := []string{"rbind", readOnly, "nosuid", "nodev", "noexec"}
		if m.Writable {
			options[1] = "rw" // a copy, below an overlay
		}
		out = append(out, specs.Mount{Destination: m.Target, Type: "bind", Source: m.Source, Options: options})
	}
	// A directory must be there before what is mounted inside of it.
	slices.SortStableFunc(out, func(a, b specs.Mount) int { return depth(a.Destination) - depth(b.Destination) })
	return out
}

func depth(p string) int {
	n := 0
	for ; p != "/" && p != "."; p = path.Dir(p) {
		n++
	}
	return n
}

// CheckMount refuses an operator's mount that is not there, or that would lie
// over something of ours. Its files are not artifacts, wherever it is.
func CheckMount(m sandbox.Mount) error {
	if !filepath.IsAbs(m.Source) || filepath.Clean(m.Source) != m.Source || m.Source == "/" {
		return errors.New("the source is not a clean absolute path of a directory or file")
	}
	if info, err := os.Stat(m.Source); err != nil {
		return err
	} else if m.Writable && !info.IsDir() {
		return errors.New("what is copied for a program to write is not a directory")
	}
	if !path.IsAbs(m.Target) || path.Clean(m.Target) != m.Target || strings.HasPrefix(m.Target, "/.") {
		return errors.New("the target is not a clean absolute path")
	}
	top, below, _ := strings.Cut(m.Target[1:], "/")
	switch top {
	case "", "etc", "usr", "bin", "sbin", "lib", "lib32", "lib64", "proc", "sys", "dev", "tmp":
		return errors.New("the target is the sandbox's own")
	case sandbox.WorkDir[1:]:
		if below == "" || strings.HasPrefix(below, "main.") {
			return errors.New("the target is the work directory's own")
		}
	}
	return nil
}
