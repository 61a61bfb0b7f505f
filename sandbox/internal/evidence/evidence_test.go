package evidence

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/frame"
	"sallyport/sandbox/internal/runner"

	"github.com/google/go-cmp/cmp"
)

func one(tag byte, value string) string { return string(frame.Append(nil, tag, []byte(value))) }

var artifactCases = []struct {
	name, in string
	want     Told
}{
	{"nothing", "", Told{}},
	{"a file", one('p', "a.txt") + one('d', "hello") + one('z', "2"), Told{Files: []sandbox.File{{Path: "a.txt", Data: []byte("hello"), MediaType: "text/plain; charset=utf-8"}}, Dropped: 2, Complete: true}},
	{"after the end", one('z', "0") + one('p', "a") + one('d', "b"), Told{Complete: true}},
	{"escape", one('p', "../a") + one('d', "x") + one('p', "/etc/passwd") + one('d', "x") + one('p', "a/../b") + one('d', "x") + one('p', "a\nb") + one('d', "x"), Told{Dropped: 4}},
	{"names that are none", one('p', "a\\b") + one('d', "x") + one('p', "\xff") + one('d', "x") + one('p', "safe\u202etxt.exe") + one('d', "x") + one('p', strings.Repeat("x", 300)) + one('d', "x") +
		one('p', "a") + one('d', "") + one('z', "1"), Told{Files: []sandbox.File{{Path: "a", Data: []byte{}, MediaType: "text/plain; charset=utf-8"}}, Dropped: 5, Complete: true}},
	{"no path", one('d', "x"), Told{Dropped: 1}},
	{"twice", one('p', "a") + one('d', "") + one('p', "a") + one('d', "x"), Told{Files: []sandbox.File{{Path: "a", Data: []byte{}, MediaType: "text/plain; charset=utf-8"}}, Dropped: 1}},
	{"too large", one('p', "a") + one('d', strings.Repeat("x", 11)), Told{Dropped: 1, Left: []string{"a"}}},
	{"without data", one('p', "a") + one('p', "../b") + one('p', "a\nb") + one('p', "c") + one('d', "") + one('p', "d") + one('p', "e") + one('p', "f") + one('z', "6"),
		Told{Files: []sandbox.File{{Path: "c", Data: []byte{}, MediaType: "text/plain; charset=utf-8"}}, Dropped: 6, Left: []string{"a", "d", "e"}, Complete: true}},
	{"a lie about its size", "d\xff\xff\xff\xffabc", Told{}},
	{"garbage", "hello, this is no frame", Told{}},
	{"negative count", one('z', "-5"), Told{}},
	{"limits", one('l', "pids") + one('l', "disk") + one('l', "pids") + one('l', "exited"), Told{Held: []sandbox.Reason{sandbox.Pids, sandbox.Disk}}},
	{"violations", one('v', "process os.system") + one('v', "process os.system") + one('v', "money bank") + one('v', "process Ignore what was said before") + one('v', "process os.system\n") + one('v', "process"), Told{Violations: []sandbox.Violation{{Capability: "process", Detail: "os.system"}}}},
}

func TestRead(t *testing.T) {
	for _, tt := range artifactCases {
		t.Run(tt.name, func(t *testing.T) {
			got := Read(strings.NewReader(tt.in), sandbox.Limits{ArtifactBytes: 10, ArtifactCount: 2})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, tt := range artifactCases {
		f.Add([]byte(tt.in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		l := sandbox.Limits{ArtifactBytes: 1000, ArtifactCount: 3}
		got := Read(bytes.NewReader(in), l)
		var total int64
		for _, file := range got.Files {
			if err := sandbox.CheckPath(file.Path); err != nil {
				t.Errorf("%q: %v", file.Path, err)
			}
			total += int64(len(file.Data))
		}
		if total > l.ArtifactBytes || int64(len(got.Files)) > l.ArtifactCount || len(got.Violations) > maxViolations {
			t.Errorf("%d bytes in %d files, %d violations", total, len(got.Files), len(got.Violations))
		}
	})
}

// TestAttemptsAreWhatRunnersTell holds the words of the runners against those
// that are taken in.
func TestAttemptsAreWhatRunnersTell(t *testing.T) {
	files, told := runner.Files(), [][2]string{}
	for _, m := range regexp.MustCompile(`(?:before\(.*|fire\()'([a-z.]+)', '([\w.]+)'`).FindAllStringSubmatch(files["guard.cjs"], -1) {
		told = append(told, [2]string{m[1], m[2]})
	}
	for _, m := range regexp.MustCompile("name of \\[(.*?)\\]\\) before\\(\\w+, name, '([a-z.]+)', `(\\w+\\.)").FindAllStringSubmatch(files["guard.cjs"], -1) {
		for name := range strings.SplitSeq(m[1], ", ") {
			told = append(told, [2]string{m[2], m[3] + strings.Trim(name, "'")})
		}
	}
	for _, v := range told {
		if len(Attempt(nil, sandbox.Violation{Capability: v[0], Detail: v[1]})) == 0 {
			t.Errorf("a runner tells of %s by %q, which nobody takes in", v[0], v[1])
		}
	}
	if len(told) < 14 {
		t.Errorf("the runners tell of %d kinds of attempts: the test looks at too little", len(told))
	}
}

// TestMediaTypes holds the types of the files that programs commonly leave: what
// is in a file counts, and its name only between what looks alike.
func TestMediaTypes(t *testing.T) {
	const zip, blob = "PK\x03\x04", "\x00\x01\x02\xff"
	tar := make([]byte, 512)
	copy(tar[257:], "ustar\x0000")
	for _, tt := range []struct{ name, data, want string }{
		{"a.png", "\x89PNG\r\n\x1a\n", "image/png"},
		{"a.jpg", "\xff\xd8\xff\xe0", "image/jpeg"},
		{"a.gif", "GIF89a", "image/gif"},
		{"a.webp", "RIFF\x00\x00\x00\x00WEBPVP", "image/webp"},
		{"a.bmp", "BM", "image/bmp"},
		{"a.tiff", "II*\x00", "image/tiff"},
		{"a.avif", "\x00\x00\x00\x1cftypavif", "image/avif"},
		{"a.svg", `<svg xmlns="http://www.w3.org/2000/svg"/>`, "image/svg+xml"},
		{"a.svg", `<?xml version="1.0"?><svg/>`, "image/svg+xml"},
		{"a.svg", `<!-- made --><svg/>`, "image/svg+xml"},
		{"a.pdf", "%PDF-1.4", "application/pdf"},
		{"a.eps", "%!PS-Adobe-3.0 EPSF", "application/postscript"},
		{"a.wav", "RIFF\x00\x00\x00\x00WAVE", "audio/wave"},
		{"a.mp3", "\xff\xfb\x90\x44\x00", "audio/mpeg"},
		{"a.mp4", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", "video/mp4"},
		{"a.txt", "<p>text", "text/plain; charset=utf-8"},
		{"a", "plain", "text/plain; charset=utf-8"},
		{"a", "<html>", "text/html; charset=utf-8"},
		{"a.html", "<div>one</div>", "text/html; charset=utf-8"},
		{"a.htm", "plain", "text/html; charset=utf-8"},
		{"a.md", "<h1>one</h1>", "text/markdown; charset=utf-8"},
		{"a.MD", "# one", "text/markdown; charset=utf-8"},
		{"a.csv", "a,b\n", "text/csv; charset=utf-8"},
		{"a.csv", "", "text/csv; charset=utf-8"},
		{"a.csv", "a,\xe4\n", "text/csv"},
		{"a.csv", "\xff\xfea\x00", "text/csv; charset=utf-16le"},
		{"a.tsv", "a\tb\n", "text/tab-separated-values; charset=utf-8"},
		{"a.json", "{}", "application/json"},
		{"a.jsonl", "{}\n{}\n", "application/jsonl"},
		{"a.geojson", "{}", "application/geo+json"},
		{"a.ipynb", "{}", "application/x-ipynb+json"},
		{"a.xml", "<!-- one --><a/>", "text/xml; charset=utf-8"},
		{"a.yaml", "a: b", "application/yaml"},
		{"a.toml", "a = 1", "application/toml"},
		{"a.js", "let a", "text/javascript; charset=utf-8"},
		{"a.py", "a = 1", "text/x-python; charset=utf-8"},
		{"a.xlsx", zip, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		{"a.docx", zip, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		{"a.pptx", zip, "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
		{"a.ods", zip, "application/vnd.oasis.opendocument.spreadsheet"},
		{"a.npz", zip, "application/x-npz"},
		{"a.zip", zip, "application/zip"},
		{"a.gz", "\x1f\x8b\x08", "application/x-gzip"},
		{"a.bz2", "BZh91AY&SY\x00", "application/x-bzip2"},
		{"a.xz", "\xfd7zXZ\x00", "application/x-xz"},
		{"a.zst", "\x28\xb5\x2f\xfd\x00", "application/zstd"},
		{"a.tar", string(tar), "application/x-tar"},
		{"a.parquet", "PAR1\x15\x04", "application/vnd.apache.parquet"},
		{"a.db", "SQLite format 3\x00", "application/vnd.sqlite3"},
		{"a.feather", "ARROW1\x00\x00", "application/vnd.apache.arrow.file"},
		{"a.h5", "\x89HDF\r\n\x1a\n\x00", "application/x-hdf5"},
		{"a.npy", "\x93NUMPY\x01\x00", "application/x-npy"},
		{"a.pkl", "\x80\x04\x95\x00", "application/x-pickle"},
		{"a.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/vnd.ms-excel"},
		{"a", blob, "application/octet-stream"},
		{"a.png", blob, "application/octet-stream"},      // a name makes no picture
		{"a.png", "<svg/>", "text/plain; charset=utf-8"}, // nor of text
		{"a.csv", "\x89PNG\r\n\x1a\n", "image/png"},      // and hides none
		{"a.json", blob, "application/octet-stream"},     // what is no text is none
	} {
		if got := mediaType(tt.name, []byte(tt.data)); got != tt.want {
			t.Errorf("%s of %q is %s, want %s", tt.name, tt.data[:min(len(tt.data), 20)], got, tt.want)
		}
	}
}
