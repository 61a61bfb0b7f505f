package audit

import (
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
)

// Logs returns the logs that dir stands for: itself, or, where it holds no
// records but directories, each of these, as the logs of the replicas of a
// service lie beside each other. A directory without any record is one of them:
// that it is empty is for whoever reads to see.
func Logs(dir string) ([]string, error) {
	if names, err := segments(dir); err != nil || len(names) > 0 {
		return []string{dir}, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	if len(list) == 0 {
		return []string{dir}, nil
	}
	return list, nil
}

// Set is what VerifyAll found.
type Set struct {
	Logs    []Report `json:"logs"`
	Records uint64   `json:"records"`
	Found   int      `json:"found"` // how many problems in all
}

// OK reports whether nothing is wrong with any of them.
func (s Set) OK() bool { return s.Found == 0 }

// VerifyAll verifies logs that belong together, each as VerifyAgainst does, and
// that none of them is another's copy: each would verify, and the log that was
// there before would be gone. Checkpoints of trust are of one log, so that there
// must be none where there are more.
func VerifyAll(dirs []string, trust Trust) (Set, error) {
	if len(dirs) > 1 && len(trust.Checkpoints) > 0 {
		return Set{}, fmt.Errorf("checkpoints are of one log, and not of %d", len(dirs))
	}
	var s Set
	records := map[string]string{} // the first and the last, by hash
	for _, dir := range dirs {
		r, begin, err := verifyAgainst(dir, trust)
		if err != nil {
			return s, err
		}
		if len(dirs) > 1 && r.Records == 0 {
			r.Warnings = append(r.Warnings, "there is no record in it")
		}
		for _, hash := range []string{begin, r.Head} {
			if other, ok := records[hash]; ok && hash != "" && other != dir {
				r.Found++
				r.Problems = append(r.Problems, Problem{Segment: dir, Detail: fmt.Sprintf("a record of it is in %s, too: one of them is a copy, and a log is missing", other)})
				break
			}
		}
		records[begin], records[r.Head] = dir, dir
		s.Logs = append(s.Logs, r)
		s.Records += r.Records
		s.Found += r.Found
	}
	return s, nil
}

// SelectAll is Select over logs that belong together: by time, the oldest record
// first. What is no record is yielded where it stands in its log.
func SelectAll(dirs []string, f Filter) iter.Seq2[Entry, error] {
	if len(dirs) == 1 {
		return Select(dirs[0], f)
	}
	return func(yield func(Entry, error) bool) {
		var open []*head
		for _, dir := range dirs {
			next, stop := iter.Pull2(Select(dir, f))
			defer stop()
			if h := (&head{next: next}); h.step() {
				open = append(open, h)
			}
		}
		for len(open) > 0 {
			first := 0
			for i, h := range open {
				if open[first].err == nil && (h.err != nil || h.entry.Time.Before(open[first].entry.Time)) {
					first = i
				}
			}
			h := open[first]
			if !yield(h.entry, h.err) {
				return
			}
			if !h.step() {
				open = append(open[:first], open[first+1:]...)
			}
		}
	}
}

// head is the next record of one of several logs.
type head struct {
	next  func() (Entry, error, bool)
	entry Entry
	err   error
}

func (h *head) step() (ok bool) {
	h.entry, h.err, ok = h.next()
	return ok
}
