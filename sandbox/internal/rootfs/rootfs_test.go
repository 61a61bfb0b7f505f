package rootfs

import (
	"fmt"
	"sync"
	"testing"

	"sallyport/sandbox/internal/instance"
)

// TestManyAtOnce makes root file systems in a state directory where others look
// for what the dead left behind: each is whole.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for i := range 50 {
				files := rootFiles()
				files["etc/number"] = fmt.Sprint(n, i)
				root, err := prepareRoot(state, files, nil, rootDirs())
				if err == nil {
					err = checkRoot(root, files)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
		all.Go(func() {
			for range 200 {
				dir, alive, err := instance.New(state, instance.Remove)
				if err != nil {
					t.Error(err)
					return
				}
				if err := instance.Remove(dir); err != nil {
					t.Error(err)
				}
				alive.Close()
			}
		})
	}
	all.Wait()
}
