package docker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"

	"sallyport/sandbox/internal/proc"
)

// Every container says whose it is, so that a later instance can tell the
// remains of a dead one from the runs of a live one, which it never touches.
const (
	labelHost  = "io.sallyport.host"  // one boot of one machine, one pid namespace
	labelOwner = "io.sallyport.owner" // pid and start time there
	labelUntil = "io.sallyport.until" // unix time after which no run of it can still be
)

// owner identifies this process. An empty field was not to be found out.
type owner struct {
	host, process string

	now   func() time.Time
	alive func(process string) bool // whether a process of the same host is
}

func thisProcess() owner {
	o := owner{now: time.Now, alive: func(process string) bool {
		pid, _, _ := strings.Cut(process, "@")
		now, err := proc.Of(pid)
		if err != nil { // who cannot be looked at, in want of descriptors say, is not dead
			return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ESRCH)
		}
		return process == pid+"@"+now.Start
	}}
	boot, err1 := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, err2 := os.Readlink("/proc/self/ns/pid")
	pid := strconv.Itoa(os.Getpid())
	began, err3 := proc.Of(pid)
	if errors.Join(err1, err2, err3) == nil {
		o.host = strings.TrimSpace(string(boot)) + " " + space
		o.process = pid + "@" + began.Start
	}
	return o
}

// labels mark a container of this instance that ends before until.
func (o owner) labels(until time.Time) map[string]string {
	return map[string]string{
		labelHost:  o.host,
		labelOwner: o.process,
		labelUntil: strconv.FormatInt(until.Add(killLimit).Unix(), 10),
	}
}

// orphan says whether a container with these labels has no owner any more. In
// doubt, as with an owner on another machine, it waits for the end of its time.
func (o owner) orphan(labels map[string]string) bool {
	if o.host != "" && labels[labelHost] == o.host {
		return labels[labelOwner] != o.process && !o.alive(labels[labelOwner])
	}
	until, err := strconv.ParseInt(labels[labelUntil], 10, 64)
	return err == nil && o.now().Unix() > until
}

// reap removes the containers of dead instances.
func (b *Backend) reap(ctx context.Context) error {
	all, err := b.api.ContainerList(ctx, container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("label", labelUntil))})
	if err != nil {
		return err
	}
	var errs []error
	for _, c := range all {
		if b.self.orphan(c.Labels) {
			errs = append(errs, b.remove(ctx, c.ID))
		}
	}
	return errors.Join(errs...)
}

func (b *Backend) name() string {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	return "sallyport-" + hex.EncodeToString(id[:])
}

// remove kills a container if it lives, waits until it is gone, and removes
// it. ctx being done does not keep it from that. What cannot be removed is
// remembered.
func (b *Backend) remove(ctx context.Context, id string) error {
	return b.removeWithin(ctx, id, killLimit)
}

func (b *Backend) removeWithin(ctx context.Context, id string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	var err error
	for {
		err = b.api.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
		if err == nil || cerrdefs.IsNotFound(err) {
			return nil
		}
		// Somebody else may be at it, and an engine may trip over a container
		// that ends just now (Podman does): such things pass.
		if unreachable(err) || !pause(ctx, 50*time.Millisecond) {
			break
		}
	}
	return b.leave(id, err)
}

// leave remembers a container that cannot be removed now, and why.
func (b *Backend) leave(id string, err error) error {
	b.mu.Lock()
	b.debris[id] = true
	b.mu.Unlock()
	return b.trouble(fmt.Errorf("removing container %.12s: %w", id, err))
}

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// clearDebris tries again to remove what could not be removed before. It stops
// at the first that still cannot be, and does not wait longer than limit for it.
func (b *Backend) clearDebris(ctx context.Context, limit time.Duration) error {
	b.mu.Lock()
	ids := make([]string, 0, len(b.debris))
	for id := range b.debris {
		ids = append(ids, id)
	}
	clear(b.debris)
	b.mu.Unlock()
	for i, id := range ids {
		if err := b.removeWithin(ctx, id, limit); err != nil {
			b.mu.Lock()
			defer b.mu.Unlock()
			for _, other := range ids[i:] {
				b.debris[other] = true
			}
			return err
		}
	}
	return nil
}
