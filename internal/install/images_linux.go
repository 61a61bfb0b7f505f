package install

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"sallyport/analyze"
	"sallyport/config"
	"sallyport/internal/hint"
	"sallyport/sandbox/image"
)

// imageStore is the cache of unpacked images, in the state directory.
func imageStore(cfg config.Images, env lookup, say func(string, ...any)) (*image.Store, error) {
	state, err := stateDir(env)
	if err != nil {
		return nil, err
	}
	o := image.Options{
		Dir:          filepath.Join(state, "images"),
		LoopbackHTTP: cfg.LoopbackHTTP,
		MaxBytes:     cfg.MaxMB << 20,
		Progress:     func(step string) { say("%s", step) },
	}
	if cfg.Credentials {
		dir, _ := env("DOCKER_CONFIG")
		if home, ok := env("HOME"); ok && dir == "" {
			dir = filepath.Join(home, ".docker")
		}
		if o.DockerConfig = dir; dir == "" {
			return nil, hint.With(hint.Usage("no place for docker's logins: neither DOCKER_CONFIG nor HOME is set"), "set DOCKER_CONFIG, or sandbox.images.credentials: false")
		}
	}
	return image.NewStore(o)
}

// ownImage reads the reference of an image that we unpack; false for one that is
// no matter of ours: an engine's, a plain directory, none at all.
func ownImage(backend, name string) (image.Ref, bool, error) {
	switch backend {
	case "gvisor", "oci":
	default:
		return image.Ref{}, false, nil
	}
	if name == "" || strings.HasPrefix(name, "dir:") {
		return image.Ref{}, false, nil
	}
	ref, err := image.ParseRef(name)
	return ref, err == nil, err
}

// imageFile is where an image of ours is on this machine; "" for others.
func imageFile(backend, name string) (string, error) {
	ref, _, err := ownImage(backend, name)
	return ref.Path(), err
}

// errNotFetched is wrapped by the error of an environment whose image is not
// in the cache.
var errNotFetched = errors.New("its image has not been fetched")

// imageReady refuses an image that would have to be fetched: a run does not
// go to the network for it.
func (s *Setup) imageReady(env, name string) error {
	ref, ours, err := ownImage(s.BackendName(), name)
	if err != nil || !ours {
		return err
	}
	store, err := imageStore(s.Config.Sandbox.Images, s.opts.Env, s.tell.Say)
	if err != nil {
		return err
	}
	if !store.Ready(ref) {
		return hint.With(fmt.Errorf("%w", errNotFetched), "sallyport env build %s", env)
	}
	return nil
}

// fetchImage puts the image of an environment into the cache.
func (s *Setup) fetchImage(ctx context.Context, env string, lang analyze.Language, name string) (bool, error) {
	ref, ours, err := ownImage(s.BackendName(), name)
	if err != nil || !ours {
		return false, err
	}
	store, err := imageStore(s.Config.Sandbox.Images, s.opts.Env, s.tell.Say)
	if err != nil {
		return false, err
	}
	i, err := store.Get(ctx, ref, true)
	if err != nil {
		return false, err
	}
	s.tell.Say("%s %s is ready: %.19s, %s", env, lang, i.Digest, Megabytes(i.Bytes))
	return true, i.Close()
}

// pruneImages removes the images that no environment names.
func (s *Setup) pruneImages(ctx context.Context) (all []Removed, err error) {
	var keep []image.Ref
	for _, env := range slices.Sorted(maps.Keys(s.Config.Environments)) {
		for _, t := range toolchains(s.Config.Environments[env]) {
			// What is no reference of ours has nothing in the cache.
			if ref, err := image.ParseRef(t.Image); err == nil {
				keep = append(keep, ref)
			}
		}
	}
	store, err := imageStore(s.Config.Sandbox.Images, s.opts.Env, s.tell.Say)
	if err != nil {
		return nil, err
	}
	removed, err := store.Prune(ctx, keep)
	for _, e := range removed {
		all = append(all, Removed{e.Bytes, e.Digest, e.Source})
	}
	if err != nil {
		err = hint.With(err, "an environment whose image cannot be read keeps the others from being told apart: mend sallyport.yaml")
	}
	return all, err
}
