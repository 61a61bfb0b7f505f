//go:build unix

package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sallyport/config"
)

// What others could have written is neither believed nor taken for a secret.
func TestSmallFilesAreTheOperators(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("Name: value"), 0o600); err != nil {
		t.Fatal(err)
	}
	var c config.Config
	c.Ask.Webhook.SecretFile, c.Serve.HandleKeys = file, file
	c.Serve.Shared.URL, c.Serve.Shared.CA = "rediss://127.0.0.1:1", file
	s := With(c, Options{})
	reads := map[string]func() error{
		"the secret of a webhook":   func() error { _, err := WebhookSecret(s); return err },
		"keys of handles":           func() error { _, err := HandleKeys(s); return err },
		"authorities of a database": func() error { _, _, err := SharedOptions(s); return err },
		"headers of telemetry":      func() error { _, err := readHeaders(file); return err },
	}
	for name, read := range reads {
		if err := read(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, read := range reads {
		if err := read(); err == nil || errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "everybody can write "+dir) {
			t.Errorf("%s, where everybody can put another file: %v", name, err)
		}
	}
}
