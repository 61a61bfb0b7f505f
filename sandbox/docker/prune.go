package docker

import (
	"cmp"
	"context"
	"slices"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
)

// Prepared is an image of the engine that was made by adding the runner to one
// of the operator's.
type Prepared struct {
	ID   string
	Name string
}

// Prune removes the prepared images that no container uses. They are a cache:
// the next run makes its own again, in less than a second. After an error the
// images that were removed are returned, too.
func (b *Backend) Prune(ctx context.Context) ([]Prepared, error) {
	b.boxes.Settled() // a container whose program has ended uses its image until it is gone
	found, err := b.api.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(filters.Arg("label", labelPrepared))})
	if err != nil {
		return nil, b.trouble(b.explain(err))
	}
	slices.SortFunc(found, func(x, y image.Summary) int { return cmp.Compare(x.ID, y.ID) })
	var removed []Prepared
	for _, i := range found {
		// By its name where it has one: Podman refuses the ID of an image
		// that has several, and one name is what derive gives.
		name := i.ID
		if len(i.RepoTags) > 0 {
			name = i.RepoTags[0]
		}
		_, err := b.api.ImageRemove(ctx, name, image.RemoveOptions{})
		switch {
		case cerrdefs.IsConflict(err) || cerrdefs.IsNotFound(err): // in use, or somebody else was faster
		case err != nil:
			return removed, b.trouble(b.explain(err))
		default:
			removed = append(removed, Prepared{ID: i.ID, Name: name})
		}
	}
	return removed, nil
}
