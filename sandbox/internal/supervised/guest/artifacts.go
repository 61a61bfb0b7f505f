package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"sallyport/sandbox/internal/supervised/wire"
)

// maxWalk bounds how many directory entries are looked at.
const maxWalk = 50_000

// sendArtifacts sends the regular files that the run left, in the order of
// their names, within the caps; it returns how many entries it left behind.
// Every process of the run is dead, so nothing changes under its hands; links
// are not followed all the same.
func (s *supervisor) sendArtifacts() (dropped int) {
	root, err := os.OpenRoot(s.start.Dir)
	if err != nil {
		return 0
	}
	defer root.Close()
	left, room, seen := s.rules.Count, s.rules.Bytes, 0
	_ = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if seen++; seen > maxWalk {
			dropped++
			return fs.SkipAll
		}
		if len(name) > wire.MaxPath {
			dropped++
			return skip(d)
		}
		if err == nil && d.IsDir() {
			return nil
		}
		data, ok := []byte(nil), err == nil && d.Type().IsRegular()
		if sum, sent := s.rules.Inputs[name]; ok && sent {
			data, ok = readFile(root, name, int64(s.start.Guard.FileBytes))
			if ok && unchanged(data, sum) {
				return nil
			}
		} else if ok && left > 0 {
			data, ok = readFile(root, name, room)
		}
		if !ok || left <= 0 || int64(len(data)) > room {
			dropped++
			if d != nil && d.Type().IsRegular() {
				_ = s.frame(wire.Path, []byte(name)) // alone: it is left behind
			}
			return nil
		}
		left--
		room -= int64(len(data))
		if s.frame(wire.Path, []byte(name)) != nil || s.frame(wire.Data, data) != nil {
			dropped++
		}
		return nil
	})
	return dropped
}

// skip leaves out an entry, and what is below it.
func skip(d fs.DirEntry) error {
	if d != nil && d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

func unchanged(data []byte, sum string) bool {
	now := sha256.Sum256(data)
	return hex.EncodeToString(now[:]) == sum
}

// readFile reads a regular file of at most room bytes.
func readFile(root *os.Root, name string, room int64) ([]byte, bool) {
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > room {
		return nil, false
	}
	data, err := io.ReadAll(io.LimitReader(f, room+1))
	if err != nil || int64(len(data)) > room {
		return nil, false
	}
	return data, true
}
