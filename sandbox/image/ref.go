package image

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
)

// Where a Ref points to.
const (
	archivePrefix = "docker-archive:"
	layoutPrefix  = "oci-layout:"
)

var sha256Digest = regexp.MustCompile(`^sha256:[a-f0-9]{64}$`)

// Ref names one image for certain: the same Ref is the same bytes, always or,
// for a local file that carries no digest, for as long as the file is the same.
// The zero Ref names nothing.
type Ref struct {
	text   string
	kind   kind
	digest string      // asked for; "" only for a local file
	path   string      // of a local file
	repo   name.Digest // in a registry
}

type kind int

const (
	nowhere kind = iota
	inRegistry
	inArchive
	inLayout
)

// String is the reference as it was written.
func (r Ref) String() string { return r.text }

// Local reports whether the image is a file of this machine.
func (r Ref) Local() bool { return r.kind == inArchive || r.kind == inLayout }

// Path is where the image is; "" for one of a registry.
func (r Ref) Path() string { return r.path }

// ParseRef reads a reference:
//
//	registry.example/python@sha256:…      from a registry
//	docker-archive:/path.tar[@sha256:…]   what `docker save` wrote; the digest is the image ID
//	oci-layout:/directory[@sha256:…]      an OCI image layout
//
// A tag is refused: it may point to something else tomorrow.
func ParseRef(s string) (Ref, error) {
	for prefix, kind := range map[string]kind{archivePrefix: inArchive, layoutPrefix: inLayout} {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			return parseLocal(s, rest, kind)
		}
	}
	base, digest, pinned := strings.Cut(s, "@")
	if !pinned {
		if _, err := name.NewTag(s); err != nil {
			return Ref{}, fmt.Errorf("%q is not the name of an image: write registry/name@sha256:…, %s/path.tar or %s/directory", s, archivePrefix, layoutPrefix)
		}
		return Ref{}, fmt.Errorf("image %q is named by a tag, which may point to something else tomorrow: write %s@sha256:…, the digest is shown by `docker buildx imagetools inspect %s`", s, withoutTag(s), s)
	}
	if !sha256Digest.MatchString(digest) {
		return Ref{}, fmt.Errorf("image %q: %q is not a digest sha256: and 64 hexadecimal digits", s, digest)
	}
	repo, err := name.NewDigest(s)
	if err != nil {
		return Ref{}, fmt.Errorf("image %q: %q is not the name of an image in a registry", s, base)
	}
	return Ref{text: s, kind: inRegistry, digest: digest, repo: repo}, nil
}

func parseLocal(s, rest string, kind kind) (Ref, error) {
	r := Ref{text: s, kind: kind, path: rest}
	if i := strings.LastIndex(rest, "@sha256:"); i >= 0 {
		r.path, r.digest = rest[:i], rest[i+1:]
		if !sha256Digest.MatchString(r.digest) {
			return Ref{}, fmt.Errorf("image %q: %q is not a digest sha256: and 64 hexadecimal digits", s, r.digest)
		}
	}
	if !filepath.IsAbs(r.path) || filepath.Clean(r.path) != r.path {
		return Ref{}, fmt.Errorf("image %q: the path is not absolute and clean", s)
	}
	return r, nil
}

// withoutTag is the name before a tag; a colon before a slash is a port's.
func withoutTag(s string) string {
	if i := strings.LastIndexByte(s, ':'); i > strings.LastIndexByte(s, '/') {
		return s[:i]
	}
	return s
}
