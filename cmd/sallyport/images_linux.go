package main

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
	"sallyport/sandbox/image"
)

// images is the cache of unpacked images, in the state directory.
func (a *app) images(cfg config.Config) (*image.Store, error) {
	state, err := a.stateDir()
	if err != nil {
		return nil, err
	}
	o := image.Options{
		Dir:          filepath.Join(state, "images"),
		LoopbackHTTP: cfg.Sandbox.Images.LoopbackHTTP,
		MaxBytes:     cfg.Sandbox.Images.MaxMB << 20,
		Progress:     func(step string) { a.say("%s", step) },
	}
	if cfg.Sandbox.Images.Credentials {
		dir, _ := a.env("DOCKER_CONFIG")
		if home, ok := a.env("HOME"); ok && dir == "" {
			dir = filepath.Join(home, ".docker")
		}
		if o.DockerConfig = dir; dir == "" {
			return nil, withHint(usagef("no place for docker's logins: neither DOCKER_CONFIG nor HOME is set"), "set DOCKER_CONFIG, or sandbox.images.credentials: false")
		}
	}
	return image.NewStore(o)
}

// ownImage reads the reference of an image that we unpack; false for one that is
// no matter of ours: an engine's, a plain directory, none at all.
func (a *app) ownImage(cfg config.Config, name string) (image.Ref, bool, error) {
	switch a.backendName(cfg) {
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

// errNotFetched is wrapped by the error of an environment whose image is not
// in the cache.
var errNotFetched = errors.New("its image has not been fetched")

// imageReady refuses an image that would have to be fetched: a run does not
// go to the network for it.
func (a *app) imageReady(cfg config.Config, env, name string) error {
	ref, ours, err := a.ownImage(cfg, name)
	if err != nil || !ours {
		return err
	}
	store, err := a.images(cfg)
	if err != nil {
		return err
	}
	if !store.Ready(ref) {
		return withHint(fmt.Errorf("%w", errNotFetched), "sallyport env build %s", env)
	}
	return nil
}

// fetchImage puts the image of an environment into the cache.
func (a *app) fetchImage(ctx context.Context, cfg config.Config, env string, lang analyze.Language, name string) (bool, error) {
	ref, ours, err := a.ownImage(cfg, name)
	if err != nil || !ours {
		return false, err
	}
	store, err := a.images(cfg)
	if err != nil {
		return false, err
	}
	i, err := store.Get(ctx, ref, true)
	if err != nil {
		return false, err
	}
	a.say("%s %s is ready: %.19s, %s", env, lang, i.Digest, megabytes(i.Bytes))
	return true, i.Close()
}

// pruneImages removes the images that no environment names.
func (a *app) pruneImages(ctx context.Context, cfg config.Config) (all []removedImage, err error) {
	var keep []image.Ref
	for _, env := range slices.Sorted(maps.Keys(cfg.Environments)) {
		for _, t := range toolchains(cfg.Environments[env]) {
			// What is no reference of ours has nothing in the cache.
			if ref, err := image.ParseRef(t.Image); err == nil {
				keep = append(keep, ref)
			}
		}
	}
	store, err := a.images(cfg)
	if err != nil {
		return nil, err
	}
	removed, err := store.Prune(ctx, keep)
	for _, e := range removed {
		all = append(all, removedImage{e.Bytes, e.Digest, e.Source})
	}
	if err != nil {
		err = withHint(err, "an environment whose image cannot be read keeps the others from being told apart: mend sallyport.yaml")
	}
	return all, err
}
