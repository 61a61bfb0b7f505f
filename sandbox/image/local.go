package image

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"sallyport/internal/hint"
)

// layoutDir is an OCI image layout: blobs by their digests, and an index.
type layoutDir struct{ root *os.Root }

// describeLayout describes the image of a layout, the only one unless a digest
// chooses.
func describeLayout(ctx context.Context, ref Ref, platform v1.Platform) (description, error) {
	root, err := os.OpenRoot(ref.path)
	if err != nil {
		return description{}, hint.System(err)
	}
	defer root.Close()
	src := layoutDir{root}
	digest := ref.digest
	if digest == "" {
		if digest, err = src.only(); err != nil {
			return description{}, err
		}
	}
	d, err := describe(ctx, src, digest, platform)
	for i := range d.layers { // opened again later: the root is closed by then
		d.layers[i].open = func(ctx context.Context) (io.ReadCloser, error) {
			root, err := os.OpenRoot(ref.path)
			if err != nil {
				return nil, hint.System(err)
			}
			defer root.Close()
			return layoutDir{root}.blob(ctx, d.layers[i].packed.Digest)
		}
	}
	return d, err
}

// only returns the digest of the one image, or index, of the layout.
func (l layoutDir) only() (string, error) {
	raw, err := l.read("index.json")
	if err != nil {
		return "", err
	}
	index, err := v1.ParseIndexManifest(bytes.NewReader(raw))
	if err != nil {
		return "", fmt.Errorf("index.json is not an index: %v", err)
	}
	if len(index.Manifests) != 1 {
		return "", fmt.Errorf("the layout holds %d images: choose one by @sha256:…", len(index.Manifests))
	}
	return index.Manifests[0].Digest.String(), nil
}

func (l layoutDir) manifest(_ context.Context, digest v1.Hash) ([]byte, error) {
	return l.read(path.Join("blobs", digest.Algorithm, digest.Hex))
}

func (l layoutDir) blob(_ context.Context, digest v1.Hash) (io.ReadCloser, error) {
	return l.open(path.Join("blobs", digest.Algorithm, digest.Hex))
}

func (l layoutDir) read(name string) ([]byte, error) {
	f, err := l.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxDocument+1))
}

// open opens a file of the layout, which may not be a FIFO that never ends.
func (l layoutDir) open(name string) (*os.File, error) {
	if st, err := l.root.Stat(name); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name)
	}
	return l.root.Open(name)
}

// archived is one image of what `docker save` wrote.
type archived struct {
	Config string
	Layers []string
}

// describeArchive describes the image of a docker archive, the only one unless
// a digest chooses. Its digest is that of its configuration, which engines call
// the image ID.
func describeArchive(ref Ref, platform v1.Platform) (description, error) {
	file := archiveFile(ref.path)
	raw, err := file.read("manifest.json")
	if err != nil {
		return description{}, err
	}
	var images []archived
	if err := json.Unmarshal(raw, &images); err != nil {
		return description{}, fmt.Errorf("manifest.json: %v", err)
	}
	if ref.digest == "" && len(images) != 1 {
		return description{}, fmt.Errorf("the archive holds %d images: save one alone, or choose one by its ID, @sha256:…", len(images))
	}
	var ids []string
	for _, img := range images[:min(len(images), maxLayers)] {
		config, err := file.read(img.Config)
		if err != nil {
			return description{}, err
		}
		id := digestOf(config)
		if ref.digest == "" || id == ref.digest {
			return file.describe(id, config, img, platform)
		}
		ids = append(ids, id)
	}
	return description{}, fmt.Errorf("the archive holds no image %s; it has %q", ref.digest, ids)
}

// archiveFile is the path of a docker archive.
type archiveFile string

func (a archiveFile) describe(id string, raw []byte, img archived, platform v1.Platform) (description, error) {
	config, err := parseConfig(raw, platform)
	if err != nil {
		return description{}, err
	}
	d := description{digest: id, config: config}
	if n := len(config.RootFS.DiffIDs); len(img.Layers) != n || n == 0 || n > maxLayers {
		return d, fmt.Errorf("the manifest has %d layers and the configuration %d", len(img.Layers), n)
	}
	for i, name := range img.Layers {
		diffID := config.RootFS.DiffIDs[i]
		if diffID.Algorithm != "sha256" {
			return d, fmt.Errorf("layer %d has no sha256 digest", i+1)
		}
		d.layers = append(d.layers, layer{diffID: diffID, open: func(context.Context) (io.ReadCloser, error) { return a.open(name) }})
	}
	return d, nil
}

func (a archiveFile) read(name string) ([]byte, error) {
	r, err := a.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	raw, err := io.ReadAll(io.LimitReader(r, maxDocument+1))
	if err == nil && len(raw) > maxDocument {
		return nil, fmt.Errorf("%s in the archive is larger than %d MiB", plain(name), maxDocument>>20)
	}
	return raw, err
}

// archiveMember is a file in an archive that is closed with it.
type archiveMember struct {
	io.Reader
	io.Closer
}

// open finds a member. Older engines write a layer that two images share as a
// link: a few are followed, inside the archive.
func (a archiveFile) open(name string) (io.ReadCloser, error) {
	const maxLinks = 4
	for range maxLinks {
		r, link, err := a.find(path.Clean(name))
		if err != nil || link == "" {
			return r, err
		}
		name = link
	}
	return nil, fmt.Errorf("%s in the archive is a link that leads on and on", plain(name))
}

func (a archiveFile) find(name string) (_ io.ReadCloser, link string, err error) {
	st, err := os.Stat(string(a))
	if err != nil {
		return nil, "", hint.System(err)
	}
	if !st.Mode().IsRegular() {
		return nil, "", errors.New("the archive is not a file")
	}
	f, err := os.Open(string(a))
	if err != nil {
		return nil, "", hint.System(err)
	}
	r := tar.NewReader(f)
	for {
		h, err := r.Next()
		if err != nil {
			f.Close()
			if errors.Is(err, io.EOF) {
				return nil, "", fmt.Errorf("there is no %s in the archive: is it the output of `docker save`?", plain(name))
			}
			return nil, "", fmt.Errorf("the archive is not a whole tar file: %v", err)
		}
		if path.Clean(h.Name) != name {
			continue
		}
		switch h.Typeflag {
		case tar.TypeReg:
			return archiveMember{r, f}, "", nil
		case tar.TypeSymlink:
			link = path.Join(path.Dir(name), h.Linkname)
		case tar.TypeLink:
			link = path.Clean(h.Linkname)
		default:
			err = fmt.Errorf("%s in the archive is not a file", plain(name))
		}
		return nil, link, errors.Join(err, f.Close())
	}
}
