package docker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"sallyport/internal/hint"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/image"
)

// progressEvery is the least time between two lines of progress.
const progressEvery = time.Second

// errStalled is the cause of a pull that was given up.
var errStalled = errors.New("the registry says nothing")

// inspect finds the operator's image, letting the engine pull it if it may.
func (b *Backend) inspect(ctx context.Context, ref string) (image.InspectResponse, error) {
	in, err := b.api.ImageInspect(ctx, ref)
	if err == nil || !cerrdefs.IsNotFound(err) {
		return in, b.trouble(err)
	}
	engine := b.opts.Engine
	if !b.opts.Pull {
		return in, b.unavailable(hint.New(nil, fmt.Sprintf("build it with images/build.sh, or load it with `%s load -i FILE`", engine), "there is no image %s", ref))
	}
	if !strings.Contains(ref, "@sha256:") {
		return in, b.unavailable(hint.New(nil, fmt.Sprintf("name it as NAME@sha256:DIGEST, build it with images/build.sh, or load it with `%s load -i FILE`", engine), "there is no image %s, and only one that is named by digest is fetched", ref))
	}
	if err = b.pull(ctx, ref); err == nil {
		in, err = b.api.ImageInspect(ctx, ref)
	}
	if err != nil && ctx.Err() == nil {
		err = b.unavailable(hint.New(b.explain(err), fmt.Sprintf("check the reference and the engine's way to its registry, or load the image with `%s load -i FILE`", engine), "pulling image %s failed", ref))
	}
	return in, err
}

// pull has the engine fetch an image and reports how it goes.
func (b *Backend) pull(ctx context.Context, ref string) error {
	ctx, cancel := context.WithTimeout(ctx, pullLimit)
	defer cancel()
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	silence := time.AfterFunc(b.stall, func() { giveUp(errStalled) })
	defer silence.Stop()
	stream, err := b.api.ImagePull(ctx, ref, image.PullOptions{})
	if err == nil {
		err = b.follow(ref, stream, func() { silence.Reset(b.stall) })
		err = errors.Join(err, stream.Close())
	}
	if errors.Is(context.Cause(ctx), errStalled) {
		return fmt.Errorf("%w for %s", errStalled, b.stall)
	}
	return err
}

// pulling is one message of an engine about a pull.
type pulling struct {
	ID     string `json:"id"` // of a layer
	Status string `json:"status"`
	Error  string `json:"error"`
	Detail struct {
		Current, Total int64
	} `json:"progressDetail"`
}

// follow reads the messages of a pull until its end. news is called for each
// that says something new: an engine repeats itself.
func (b *Backend) follow(ref string, stream io.Reader, news func()) error {
	say := b.opts.Progress
	if say == nil {
		say = func(string) {}
	}
	say("pulling image " + ref)
	layers, last := map[string]pulling{}, time.Now()
	for d := json.NewDecoder(stream); ; {
		var m pulling
		switch err := d.Decode(&m); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case m.Error != "":
			return errors.New(m.Error)
		}
		if layers[m.ID] == m {
			continue
		}
		news()
		layers[m.ID] = m
		if time.Since(last) >= progressEvery {
			last = time.Now()
			say(fmt.Sprintf("pulling image %s: %s", ref, summary(layers)))
		}
	}
}

// summary adds up what is known of the layers.
func summary(layers map[string]pulling) string {
	var current, total int64
	for _, m := range layers {
		if m.Status == "Downloading" {
			current, total = current+m.Detail.Current, total+m.Detail.Total
		}
	}
	if total == 0 {
		return "working on its layers"
	}
	return fmt.Sprintf("%d of %d MB", current/1e6, total/1e6)
}
