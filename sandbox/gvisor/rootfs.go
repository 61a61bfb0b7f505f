package gvisor

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sallyport/sandbox/runner"
)

// rootFiles is the whole of the root file system but for the mounts.
func rootFiles() map[string]string {
	files := map[string]string{
		"etc/passwd":        "root:x:0:0:root:/root:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/tmp:/usr/sbin/nologin\n",
		"etc/group":         "root:x:0:\nnogroup:x:65534:\n",
		"etc/hosts":         "127.0.0.1\tlocalhost sandbox\n::1\tlocalhost\n",
		"etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
	}
	for name, text := range runner.Files() {
		files[runner.Dir[1:]+"/"+name] = text
	}
	return files
}

// rootLinks are the host's links from /lib and its like into /usr.
func rootLinks() map[string]string {
	links := map[string]string{}
	for _, p := range append(libraryDirs[:], "/bin", "/sbin") {
		if to, err := os.Readlink(p); err == nil && !strings.HasPrefix(to, "..") {
			links[p[1:]] = to
		}
	}
	return links
}

// rootDirs are the empty directories that something is mounted on.
func rootDirs() []string {
	return []string{"usr", "proc", "tmp", runner.WorkDir[1:], "dev"}
}

// prepareRoot makes a read-only root file system under dir, or finds it made:
// its name is the hash of its content, and it appears under that name whole or
// not at all.
func prepareRoot(dir string, files, links map[string]string, dirs []string) (string, error) {
	h := sha256.New()
	for _, m := range []map[string]string{files, links} {
		for _, k := range sortedKeys(m) {
			fmt.Fprintf(h, "%d %s %d %s\n", len(k), k, len(m[k]), m[k])
		}
	}
	fmt.Fprintf(h, "%q\n", dirs)
	root := filepath.Join(dir, "root-"+hex.EncodeToString(h.Sum(nil))[:16])
	if _, err := os.Stat(root); err == nil {
		return root, checkRoot(root, files)
	}
	tmp, err := os.MkdirTemp(dir, ".root-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	for _, name := range sortedKeys(files) {
		p := filepath.Join(tmp, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(p, []byte(files[name]), 0o444); err != nil {
			return "", err
		}
	}
	for _, d := range dirs {
		if err := os.MkdirAll(filepath.Join(tmp, d), 0o755); err != nil {
			return "", err
		}
	}
	for _, name := range sortedKeys(links) {
		if err := os.Symlink(links[name], filepath.Join(tmp, name)); err != nil {
			return "", err
		}
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, root); err != nil {
		return "", err
	}
	return root, nil
}

// checkRoot refuses a root file system that is not the one that was made.
func checkRoot(root string, files map[string]string) error {
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(got) != want {
			return fmt.Errorf("root file system %s was changed: remove it", root)
		}
	}
	return nil
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// writeFile writes path whole or not at all.
func writeFile(path string, data []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}
