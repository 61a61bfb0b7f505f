package agents

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStart: a program in a cache is not named by its path there, which vanishes,
// but by what uvx or npx was given.
func TestStart(t *testing.T) {
	const (
		uv  = "cache/uv/archive-v0/WReI/"
		npx = ".npm/_npx/647f/"
	)
	note := uv + "lib/python3.11/site-packages/sallyport-0.1.0.dist-info/"
	for _, tt := range []struct {
		name, self string
		files      map[string]string // DIR in their content is where they are
		want       []string          // nil is an error
	}{
		{"installed", "bin/sallyport", nil, []string{"DIR/bin/sallyport"}},
		{"a tool of uv's, which stays", ".local/share/uv/tools/sallyport/bin/sallyport", nil, []string{"DIR/.local/share/uv/tools/sallyport/bin/sallyport"}},
		{"a project's own", "p/node_modules/sallyport-linux-x64/bin/sallyport", nil, []string{"DIR/p/node_modules/sallyport-linux-x64/bin/sallyport"}},
		{"uvx, a file", uv + "bin/sallyport",
			map[string]string{"my files/s+1.whl": "", note + "direct_url.json": `{"url": "file://DIR/my%20files/s%2B1.whl", "archive_info": {}}`},
			[]string{"uvx", "--from", "DIR/my files/s+1.whl", "sallyport"}},
		{"uvx, an address", uv + "bin/sallyport", map[string]string{note + "direct_url.json": `{"url": "https://x.example/s.whl", "archive_info": {}}`},
			[]string{"uvx", "--from", "https://x.example/s.whl", "sallyport"}},
		{"uvx, a name", uv + "bin/sallyport", map[string]string{note + "METADATA": ""}, []string{"uvx", "--from", "sallyport", "sallyport"}},
		{"uvx, a file that is gone", uv + "bin/sallyport", map[string]string{note + "direct_url.json": `{"url": "file://DIR/s.whl"}`}, nil},
		{"uvx, broken", uv + "bin/sallyport", map[string]string{note + "direct_url.json": `{`}, nil},
		{"uvx, nothing known", uv + "bin/sallyport", nil, nil},
		{"npx, a file", npx + "node_modules/sallyport-linux-x64/bin/sallyport",
			map[string]string{"s.tgz": "", npx + "package.json": `{"dependencies": {"sallyport-linux-x64": "file:../../../s.tgz"}}`},
			[]string{"npx", "--yes", "--package", "DIR/s.tgz", "sallyport"}},
		{"npx, a file by its whole path", npx + "node_modules/sallyport-linux-x64/bin/sallyport",
			map[string]string{"s.tgz": "", npx + "package.json": `{"dependencies": {"sallyport-linux-x64": "file:DIR/s.tgz"}}`},
			[]string{"npx", "--yes", "--package", "DIR/s.tgz", "sallyport"}},
		{"npx, an address", npx + "node_modules/@s/p/bin/sallyport", map[string]string{npx + "package.json": `{"dependencies": {"@s/p": "https://x.example/s.tgz"}}`},
			[]string{"npx", "--yes", "--package", "https://x.example/s.tgz", "sallyport"}},
		{"npx, a name", npx + "node_modules/sallyport-linux-x64/bin/sallyport", map[string]string{npx + "package.json": `{"dependencies": {"sallyport-linux-x64": "^0.1.0"}}`},
			[]string{"npx", "--yes", "--package", "sallyport-linux-x64", "sallyport"}},
		{"npx, another package", npx + "node_modules/x/bin/sallyport", map[string]string{npx + "package.json": `{"dependencies": {"y": "^0.1.0"}}`}, nil},
		{"npx, a file that is gone", npx + "node_modules/x/bin/sallyport", map[string]string{npx + "package.json": `{"dependencies": {"x": "file:../../../s.tgz"}}`}, nil},
		{"npx, nothing known", npx + "node_modules/x/bin/sallyport", nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range tt.files {
				path := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(strings.ReplaceAll(text, "DIR", dir)), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			command, args, err := Start(filepath.Join(dir, tt.self))
			if tt.want == nil {
				if err == nil || !strings.Contains(err.Error(), "from its cache") {
					t.Errorf("Start() = %s %v, %v; want an error", command, args, err)
				}
				return
			}
			want := strings.Split(strings.ReplaceAll(strings.Join(tt.want, "\n"), "DIR", dir), "\n")
			if diff := cmp.Diff(want, append([]string{command}, args...)); diff != "" || err != nil {
				t.Errorf("%v (-want +got)\n%s", err, diff)
			}
		})
	}
}
