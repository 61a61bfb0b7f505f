package image

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Bounds on what an image says about itself.
const (
	maxDocument = 4 << 20 // bytes of a manifest, an index or a configuration
	maxLayers   = 256     // engines allow about half of that
)

// blobs is where the parts of an image come from by their digests. What it
// gives is not believed: everything is hashed here.
type blobs interface {
	manifest(ctx context.Context, digest v1.Hash) ([]byte, error) // or an index
	blob(ctx context.Context, digest v1.Hash) (io.ReadCloser, error)
}

// description is an image whose every part has a hash.
type description struct {
	digest string // of what was asked for
	config v1.ConfigFile
	layers []layer
}

// layer is one part of the root file system.
type layer struct {
	diffID v1.Hash       // of the uncompressed bytes
	packed v1.Descriptor // as stored; zero where only diffID is known
	open   func(ctx context.Context) (io.ReadCloser, error)
}

// describe follows a digest to an image for the platform: a manifest, or an
// index that lists one.
func describe(ctx context.Context, src blobs, digest string, platform v1.Platform) (description, error) {
	d := description{digest: digest}
	manifest := func(h v1.Hash) ([]byte, error) { return src.manifest(ctx, h) }
	raw, err := verified("manifest", digest, manifest)
	if err != nil {
		return d, err
	}
	index, err := isIndex(raw)
	if err != nil {
		return d, err
	}
	if index {
		child, err := choose(raw, platform)
		if err != nil {
			return d, err
		}
		if raw, err = verified("manifest", child, manifest); err != nil {
			return d, err
		}
		if again, err := isIndex(raw); err != nil || again {
			return d, errors.Join(errors.New("the index lists another index"), err)
		}
	}
	m, err := v1.ParseManifest(bytes.NewReader(raw))
	if err != nil {
		return d, fmt.Errorf("the manifest is not one: %v", err)
	}
	rawConfig, err := verified("configuration", m.Config.Digest.String(), func(h v1.Hash) ([]byte, error) { return small(ctx, src, h) })
	if err != nil {
		return d, err
	}
	if d.config, err = parseConfig(rawConfig, platform); err != nil {
		return d, err
	}
	d.layers, err = pair(src, m.Layers, d.config.RootFS.DiffIDs)
	return d, err
}

// verified reads a document and refuses one that is not what its digest says.
func verified(what, digest string, read func(v1.Hash) ([]byte, error)) ([]byte, error) {
	h, err := v1.NewHash(digest)
	if err != nil || h.Algorithm != "sha256" {
		return nil, fmt.Errorf("the %s has no sha256 digest but %q", what, digest)
	}
	raw, err := read(h)
	if err != nil {
		return nil, fmt.Errorf("reading the %s %s: %w", what, short(digest), err)
	}
	if len(raw) > maxDocument {
		return nil, fmt.Errorf("the %s %s is larger than %d MiB", what, short(digest), maxDocument>>20)
	}
	if got := digestOf(raw); got != digest {
		return nil, fmt.Errorf("the %s is not the one that was asked for: its digest is %s, not %s", what, short(got), short(digest))
	}
	return raw, nil
}

// small reads a blob that is a document.
func small(ctx context.Context, src blobs, h v1.Hash) ([]byte, error) {
	r, err := src.blob(ctx, h)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, maxDocument+1))
}

// isIndex tells the two kinds of manifest apart by what they hold. One that
// could be read as both is refused: two readers might see two images.
func isIndex(raw []byte) (bool, error) {
	var probe struct {
		MediaType types.MediaType  `json:"mediaType"`
		Manifests *json.RawMessage `json:"manifests"`
		Config    *json.RawMessage `json:"config"`
		Layers    *json.RawMessage `json:"layers"`
	}
	if err := json.Unmarshal(raw, &probe); err != nil {
		return false, fmt.Errorf("the manifest is not JSON: %v", err)
	}
	image := probe.Config != nil || probe.Layers != nil
	switch {
	case image == (probe.Manifests != nil):
		return false, errors.New("the manifest is neither that of an image nor an index, or both")
	case probe.MediaType == "":
	case image && !probe.MediaType.IsImage(), !image && !probe.MediaType.IsIndex(), probe.MediaType.IsSchema1():
		return false, fmt.Errorf("the manifest calls itself %q, and is something else", probe.MediaType)
	}
	return !image, nil
}

// choose returns the digest of the image for the platform.
func choose(raw []byte, platform v1.Platform) (string, error) {
	index, err := v1.ParseIndexManifest(bytes.NewReader(raw))
	if err != nil {
		return "", fmt.Errorf("the index is not one: %v", err)
	}
	var others []string
	for _, m := range index.Manifests {
		switch {
		case !m.MediaType.IsImage():
		case m.Platform == nil && len(index.Manifests) == 1:
			return m.Digest.String(), nil
		case m.Platform == nil:
		case fits(*m.Platform, platform):
			return m.Digest.String(), nil
		default:
			others = append(others, m.Platform.String())
		}
	}
	return "", fmt.Errorf("there is no image for %s; the index has %q", platform, others)
}

// fits reports whether a machine of platform want runs an image of platform p.
func fits(p, want v1.Platform) bool {
	return p.OS == want.OS && p.Architecture == want.Architecture && (p.Variant == "" || p.Variant == "v8" && p.Architecture == "arm64")
}

func parseConfig(raw []byte, platform v1.Platform) (v1.ConfigFile, error) {
	c, err := v1.ParseConfigFile(bytes.NewReader(raw))
	if err != nil {
		return v1.ConfigFile{}, fmt.Errorf("the configuration is not one: %v", err)
	}
	if got := (v1.Platform{OS: c.OS, Architecture: c.Architecture, Variant: c.Variant}); !fits(got, platform) {
		return v1.ConfigFile{}, fmt.Errorf("the image is for %q, this machine is %s", got, platform)
	}
	return *c, nil
}

// pair gives each stored layer the hash of its content.
func pair(src blobs, stored []v1.Descriptor, diffIDs []v1.Hash) ([]layer, error) {
	if len(stored) != len(diffIDs) || len(stored) == 0 || len(stored) > maxLayers {
		return nil, fmt.Errorf("the manifest has %d layers and the configuration %d", len(stored), len(diffIDs))
	}
	var out []layer
	for i, d := range stored {
		if d.Digest.Algorithm != "sha256" || diffIDs[i].Algorithm != "sha256" {
			return nil, fmt.Errorf("layer %d has no sha256 digest", i+1)
		}
		if !d.MediaType.IsLayer() || !d.MediaType.IsDistributable() {
			return nil, fmt.Errorf("layer %d is of the kind %q", i+1, d.MediaType)
		}
		out = append(out, layer{diffID: diffIDs[i], packed: d, open: func(ctx context.Context) (io.ReadCloser, error) {
			return src.blob(ctx, d.Digest)
		}})
	}
	return out, nil
}

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// short is a digest for people.
func short(digest string) string {
	if len(digest) > len("sha256:")+12 {
		return digest[:len("sha256:")+12]
	}
	return digest
}

// plain makes text of an outsider fit for an error: one line, no controls,
// not too long.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, s)
	return strings.TrimSpace(s[:min(len(s), 300)])
}
