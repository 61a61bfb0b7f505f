package docker

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/strslice"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/live"
	"sallyport/sandbox/internal/supervised"
)

// labelPrepared marks an image that was made from the operator's by adding
// runner.Dir; its value says from which, and with what.
const labelPrepared = "io.sallyport.prepared"

// wanted names a prepared image: the operator's reference, and whether programs
// reach hosts.
type wanted struct {
	ref     string
	reaches bool
}

// prepared is an image ready to run: the operator's with runner.Dir added.
type prepared struct {
	turn chan struct{} // holds one while it is made: a wait for that can be given up
	id   string        // of the image that runs; "" until it is made
	base string        // ID of the operator's image
}

// image returns the image that a spec asks for, ready to run.
func (b *Backend) image(ctx context.Context, s sandbox.Spec) (id, base string, err error) {
	ref := s.Runtime.Image
	if ref == "" {
		ref = b.opts.Images[s.Language]
	}
	if ref == "" {
		return "", "", fmt.Errorf("%w: no image is configured for %s: build one with images/build.sh and name it", sandbox.ErrRefused, s.Language)
	}
	b.mu.Lock()
	name := wanted{ref, s.Egress != nil}
	p := b.images[name]
	if p == nil {
		p = &prepared{turn: make(chan struct{}, 1)}
		b.images[name] = p
	}
	b.mu.Unlock()
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return "", "", ctx.Err()
	}
	if p.id == "" {
		if p.id, p.base, err = b.prepare(ctx, ref, name.reaches); err != nil {
			p.id = ""
			return "", "", err
		}
	}
	return p.id, p.base, nil
}

// forget drops what is known of images: one of them is gone.
func (b *Backend) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.images)
}

// prepare finds the operator's image and adds runner.Dir to it, once for each
// image and version of the runner, and what looks names up where programs reach
// hosts.
func (b *Backend) prepare(ctx context.Context, ref string, reaches bool) (id, base string, err error) {
	in, err := b.inspect(ctx, ref)
	if err != nil {
		return "", "", err
	}
	if in.Config != nil && len(in.Config.Volumes) > 0 {
		return "", "", fmt.Errorf("%w: image %s declares volumes, which would be writable and unbounded: build it without VOLUME", sandbox.ErrRefused, ref)
	}
	if b.eng.podman && in.Config != nil && in.Config.Healthcheck != nil {
		return "", "", fmt.Errorf("%w: image %s declares a health check, a second program that the engine would start: build it without HEALTHCHECK", sandbox.ErrRefused, ref)
	}
	if in.Architecture != b.eng.arch {
		return "", "", fmt.Errorf("%w: image %s is for %s, the engine runs on %s", sandbox.ErrRefused, ref, in.Architecture, b.eng.arch)
	}
	content, err := supervised.Layer(supervised.GuestPath, b.guest.Data, reaches)
	if err != nil {
		return "", "", err
	}
	key := preparedKey(in.ID, content)
	found, err := b.api.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(filters.Arg("label", labelPrepared+"="+key))})
	if err != nil {
		return "", "", b.explain(err)
	}
	if len(found) > 0 {
		return found[0].ID, in.ID, nil
	}
	id, err = b.derive(ctx, in.ID, key, content)
	return id, in.ID, err
}

// preparedKey names the image made from base by adding content.
func preparedKey(base string, content []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", base)
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// derive commits an image from base with runner.Dir added. Nothing runs in
// the container that it is made from.
func (b *Backend) derive(ctx context.Context, base, key string, content []byte) (id string, err error) {
	labels := b.self.labels(b.self.now().Add(live.StartLimit))
	made, err := b.createContainer(ctx,
		&container.Config{Image: base, Entrypoint: strslice.StrSlice{supervised.GuestPath}, Labels: labels, NetworkDisabled: true},
		&container.HostConfig{NetworkMode: "none"})
	if err != nil {
		return "", b.trouble(fmt.Errorf("preparing image %s: %w", base, err))
	}
	defer func() { err = errors.Join(err, b.remove(ctx, made.ID)) }()
	if err := b.api.CopyToContainer(ctx, made.ID, "/", bytes.NewReader(content), container.CopyToContainerOptions{}); err != nil {
		return "", b.trouble(fmt.Errorf("preparing image %s: %w", base, err))
	}
	changes := []string{"LABEL " + labelPrepared + "=" + key}
	for name := range labels { // it is no container of a run
		changes = append(changes, "LABEL "+name+"=")
	}
	out, err := b.api.ContainerCommit(ctx, made.ID, container.CommitOptions{
		Reference: "localhost/sallyport-prepared:" + key, Comment: "sallyport runner on " + base, Changes: changes,
		Config: &container.Config{}, // Podman takes no request without one
	})
	if err != nil {
		return "", b.trouble(fmt.Errorf("preparing image %s: %w", base, err))
	}
	return out.ID, nil
}

// trouble explains err, and marks it as the engine's where it is.
func (b *Backend) trouble(err error) error {
	if err == nil {
		return nil
	}
	if known := b.explained(err); known != nil || unreachable(err) {
		return b.unavailable(cmp.Or(known, err))
	}
	return err
}
