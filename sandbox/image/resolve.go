package image

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// maxPath bounds a name inside an image, and the target of a link.
const maxPath = 4096

// Resolve follows name through tree as a program would whose root directory
// it is: a link, absolute or with any number of "..", stays inside. It returns
// the path that has no links in it, relative to the tree, "." for the tree
// itself. The last element may be missing; with follow, it is no link.
func Resolve(tree *os.Root, name string, follow bool) (string, error) {
	return walk(tree, name, follow, nil)
}

// walk is Resolve; with mkdir, directories that are missing on the way are
// made.
func walk(tree *os.Root, name string, follow bool, mkdir func(string) error) (string, error) {
	const maxLinks = 40 // as in the kernel
	if len(name) > maxPath || strings.ContainsRune(name, 0) {
		return "", errors.New("the path is too long or no path")
	}
	at, rest, links := ".", name, 0
	for rest != "" {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		switch part {
		case "", ".":
			continue
		case "..":
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, part)
		st, err := tree.Lstat(next)
		last := strings.Trim(rest, "/") == ""
		switch {
		case errors.Is(err, fs.ErrNotExist) && last:
			return next, nil
		case errors.Is(err, fs.ErrNotExist) && mkdir != nil:
			if err := mkdir(next); err != nil {
				return "", err
			}
			at = next
		case err != nil:
			return "", err
		case st.Mode()&fs.ModeSymlink != 0 && !(last && !follow):
			if links++; links > maxLinks {
				return "", errors.New("too many links")
			}
			to, err := tree.Readlink(next)
			if err != nil {
				return "", err
			}
			if path.IsAbs(to) {
				at = "."
			}
			if rest = to + "/" + rest; len(rest) > maxPath {
				return "", errors.New("the path is too long")
			}
		case last:
			return next, nil
		case !st.IsDir():
			return "", fmt.Errorf("%s is not a directory", plain(next))
		default:
			at = next
		}
	}
	return at, nil
}
