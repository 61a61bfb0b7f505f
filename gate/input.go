package gate

import (
	"errors"
	"fmt"

	"sallyport/internal/hint"
	"sallyport/policy"
	"sallyport/sandbox"
)

// ErrTooLarge is wrapped by the error of a request whose input files do not fit
// into a sandbox. Its text says which, how large it is, and by what limit.
var ErrTooLarge = errors.New("too large")

// ErrFile is wrapped by the error of a request whose input files cannot be where
// they are to be. Its text says which, why, and what to do.
var ErrFile = errors.New("an input file cannot have this name")

// placed refuses input files that the sandbox would refuse: with a name that is no
// place in the work directory, of another file, or of the program itself, which
// the analysis knows. A program that policy denies is told that instead.
func (j *judgement) placed(req Request) error {
	if j.answer.Decision.Effect == policy.Deny {
		return nil
	}
	spec := sandbox.Spec{Language: string(j.source.Language()), Goal: string(j.facts.Goal), Files: req.Files, References: req.opened.given()}
	if err := spec.CheckFiles(); err != nil {
		return hint.Usage("%w: %w", ErrFile, err)
	}
	return nil
}

const moreRoom = "raise that limit in sallyport.yaml, or have the directory of the file read where it is: --mount NAME=DIR"

// fits refuses, before anything is judged, files that are sent and that the
// limits of the run leave no room for. The work directory is half of the disk.
func (g *Gate) fits(req Request) error {
	l := fromPolicyLimits(g.asked(req)).WithDefaults()
	room := l.DiskBytes / 2
	for _, f := range req.Files {
		n := int64(len(f.Data))
		if n > l.FileBytes {
			return hint.With(fmt.Errorf("input file %.300q is %w: it has %s, and limits.file_mb allows %s", f.Path, ErrTooLarge, size(n), size(l.FileBytes)), moreRoom)
		}
		if room -= n; room < 0 {
			return hint.With(fmt.Errorf("input file %.300q is %w: it has %s, %s more than is left of half of limits.disk_mb (%s)", f.Path, ErrTooLarge, size(n), size(-room), size(l.DiskBytes)), moreRoom)
		}
	}
	return nil
}

func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%.4g MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}
