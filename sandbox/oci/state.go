package oci

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"encoding/json"

	"sallyport/sandbox/internal/cgroup"
	"sallyport/sandbox/internal/instance"
	"sallyport/sandbox/internal/proc"
)

// The directory of an instance (see package instance):
//
//	runtime.json    which runtime it uses, and how
//	cgroups         where its control groups are
//	runtime/        the runtime's own state
//	ID/             one container: its bundle

func runtimeRoot(dir string) string { return filepath.Join(dir, "runtime") }

// note writes down which runtime an instance uses, for those who clear away
// behind it.
func (r runtime) note(dir string) error {
	data, err := json.Marshal(noted{Path: r.path, Hide: r.hide})
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(runtimeRoot(dir), 0o700), os.WriteFile(filepath.Join(dir, "runtime.json"), data, 0o600))
}

// noted is what is written down of a runtime.
type noted struct {
	Path string `json:"path"`
	Hide string `json:"hide,omitempty"`
}

// destroy ends everything that belongs to an instance and removes it. The
// supervisors of a dead one have ended by themselves: they hear nothing more.
func destroy(dir string) error {
	var errs []error
	left, err := os.ReadDir(runtimeRoot(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, err)
	}
	if len(left) > 0 {
		var n noted
		data, err := os.ReadFile(filepath.Join(dir, "runtime.json"))
		if err == nil {
			err = json.Unmarshal(data, &n)
		}
		errs = append(errs, err)
		r := runtime{path: n.Path, hide: n.Hide, root: runtimeRoot(dir)}
		for _, c := range left {
			if err := r.remove(c.Name()); err != nil {
				errs = append(errs, fmt.Errorf("removing container %s: %w", c.Name(), err))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err // what is known of them stays, for the next one who tries
	}
	return errors.Join(cgroup.RemoveAll(dir), instance.Remove(dir))
}

// remove has the runtime kill a container, if it lives, and forget it.
func (r runtime) remove(id string) error {
	ctx, cancel := context.WithTimeout(context.Background(), proc.GoneLimit)
	defer cancel()
	err := r.run(ctx, nil, "delete", "--force", id)
	if _, serr := os.Stat(filepath.Join(r.root, id)); errors.Is(serr, fs.ErrNotExist) {
		return nil
	}
	return err
}
