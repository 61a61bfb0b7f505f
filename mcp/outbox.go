package mcp

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"sallyport/answer"
	"sallyport/internal/replace"
	"sallyport/sandbox"
)

// deliver writes the files of a run that are too large for an answer into a
// directory of its own below the operator's, and lets go of them. Nothing that
// is there is touched, and no link leads out. A file with a name that another
// program takes for more than a name is not written; it stays in memory.
func deliver(outbox string, run *keptRun) error {
	var root *os.Root
	for i, f := range run.files {
		if inAnswer(f) || !answer.IsPlain(f.Path) {
			continue
		}
		if root == nil {
			var err error
			if root, err = os.OpenRoot(outbox); err != nil {
				return err
			}
			defer root.Close()
		}
		name := path.Join(run.id, f.Path)
		if err := replace.New(root, name, replace.Bytes(f.Data)); err != nil {
			return fmt.Errorf("writing into the outbox: %w", err)
		}
		run.artifacts[i].URI = (&url.URL{Scheme: "file", Path: filepath.Join(outbox, name)}).String()
		run.files[i].Data = nil
		run.size -= len(f.Data)
	}
	return nil
}

// delivered says that an artifact is in the outbox.
func (a artifactOutput) delivered() bool { return strings.HasPrefix(a.URI, "file:") }

// inAnswer says whether a file is small enough to stand in an answer.
func inAnswer(f sandbox.File) bool {
	return len(f.Data) <= maxEmbedded || isPicture(f.MediaType) && len(f.Data) <= maxImage
}
