// Package evidence takes in what is told of a run besides its output: the files
// that it left, what it tried although that was denied, the limits that held.
//
// Whoever tells it may be the program itself. So every limit is kept here,
// nothing is written anywhere, and what is said of an attempt is one of a few
// words: none of it is the program's. What cannot be taken in is dropped and
// counted; it never keeps the rest from being told.
package evidence

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/frame"
)

// The tags of frames that tell of a run.
const (
	Path   byte = 'p' // of the file that follows
	Data   byte = 'd' // of the file of that path
	Tried  byte = 'v' // a capability and how it was tried, with a space between
	Probed byte = 'w' // the same, of what a library tried by itself
	Ending byte = 's' // the same, of what the run was ended for
	Held   byte = 'l' // a limit that held
	Done   byte = 'z' // how many files stayed behind; the end
	Ended  byte = 'x' // the wait status of the program; the end
)

// Grace is for how long a run that is stopped may go on, so that its files come
// out and what it used is said. A sandbox that works needs milliseconds of it, also
// on a machine that is busy with others: it is a bound for one that does not.
const Grace = 10 * time.Second

// Files takes in files, within the limits of a run.
type Files struct {
	Taken   []sandbox.File
	Dropped int      // because of the limits, their kind or their name
	Left    []string // the first of those for which there is no room, by their paths

	bytes, count int64 // there is room for
	name         string
	seen         map[string]bool
}

// NewFiles has room for what l allows.
func NewFiles(l sandbox.Limits) *Files {
	return &Files{bytes: l.ArtifactBytes, count: l.ArtifactCount, seen: map[string]bool{}}
}

// Path reads a path of n bytes. The error is that of r, as for Data.
func (f *Files) Path(r io.Reader, n int64) error {
	f.Leave() // a path that no data follows
	if n > sandbox.MaxPath {
		return frame.Skip(r, n)
	}
	name, err := frame.Payload(r, n, sandbox.MaxPath)
	f.name = string(name)
	return err
}

// Data reads the n bytes of the file of the path that came before.
func (f *Files) Data(r io.Reader, n int64) error {
	name := f.name
	if n > f.bytes || f.count == 0 || f.seen[name] || sandbox.CheckPath(name) != nil {
		f.Dropped++
		f.Leave()
		return frame.Skip(r, n)
	}
	f.name = ""
	data, err := frame.Payload(r, n, f.bytes)
	if err != nil {
		return err
	}
	f.bytes -= n
	f.count--
	f.seen[name] = true
	f.Taken = append(f.Taken, sandbox.File{Path: name, Data: data, MediaType: mediaType(name, data)})
	return nil
}

// Leave notes that the file of the path that came before is not taken: behind the
// last one, too.
func (f *Files) Leave() {
	if len(f.Left) < MaxLeft && !f.seen[f.name] && sandbox.CheckPath(f.name) == nil {
		f.Left = append(f.Left, f.name)
	}
	f.name = "" // which no file may have
}

// MaxLeft are told by name, of the files that are left behind.
const MaxLeft = 3

// mediaType tells what a file is from what is in it; its name decides only
// between kinds of text, of archives, and of what is not known by its bytes. A
// program chooses both.
func mediaType(name string, data []byte) string {
	sniffed := http.DetectContentType(data)
	kind, charset, _ := strings.Cut(sniffed, ";")
	if strings.HasPrefix(kind, "text/") {
		// What begins with a tag may be any text, and what is no UTF-8 may be any
		// other encoding.
		if by, ok := mediaTypes[text][strings.ToLower(path.Ext(name))]; ok {
			kind = by
		}
		if !strings.HasPrefix(kind, "text/") || charset == "" || strings.HasSuffix(charset, "utf-8") && !utf8.Valid(data) {
			return kind
		}
		return kind + ";" + charset
	}
	if by, ok := mediaTypes[kind][strings.ToLower(path.Ext(name))]; ok {
		return by
	}
	for _, m := range magic {
		if len(data) >= m.at && bytes.HasPrefix(data[m.at:], []byte(m.bytes)) {
			return m.is
		}
	}
	return sniffed
}

const (
	text     = "text/plain"
	office   = "application/vnd.openxmlformats-officedocument."
	document = "application/vnd.oasis.opendocument."
)

// mediaTypes are those that a name tells apart, by what the bytes tell.
var mediaTypes = map[string]map[string]string{
	text: {
		".txt": text, ".log": text, ".csv": "text/csv", ".tsv": "text/tab-separated-values", ".md": "text/markdown",
		".json": "application/json", ".geojson": "application/geo+json", ".jsonl": "application/jsonl", ".ndjson": "application/jsonl",
		".ipynb": "application/x-ipynb+json", ".svg": "image/svg+xml", ".xml": "text/xml", ".yaml": "application/yaml",
		".yml": "application/yaml", ".toml": "application/toml", ".html": "text/html", ".htm": "text/html", ".css": "text/css", ".js": "text/javascript",
		".mjs": "text/javascript", ".cjs": "text/javascript", ".ts": "text/x-typescript", ".py": "text/x-python", ".tex": "text/x-tex", ".sql": "application/sql",
		".ics": "text/calendar", ".vcf": "text/vcard", ".rtf": "application/rtf", ".ini": text, ".diff": "text/x-diff", ".patch": "text/x-diff",
	},
	"application/zip": {
		".xlsx": office + "spreadsheetml.sheet", ".docx": office + "wordprocessingml.document", ".pptx": office + "presentationml.presentation",
		".ods": document + "spreadsheet", ".odt": document + "text", ".odp": document + "presentation",
		".npz": "application/x-npz", ".whl": "application/x-wheel+zip", ".epub": "application/epub+zip",
	},
	"application/octet-stream": {
		".npy": "application/x-npy", ".pkl": "application/x-pickle", ".pickle": "application/x-pickle", ".h5": "application/x-hdf5", ".hdf5": "application/x-hdf5",
		".feather": "application/vnd.apache.arrow.file", ".tif": "image/tiff", ".tiff": "image/tiff", ".mp3": "audio/mpeg", ".xls": "application/vnd.ms-excel",
	},
}

// magic is what files that net/http does not know begin with.
var magic = []struct {
	at    int
	bytes string
	is    string
}{
	{0, "PAR1", "application/vnd.apache.parquet"},
	{0, "SQLite format 3\x00", "application/vnd.sqlite3"},
	{0, "ARROW1\x00\x00", "application/vnd.apache.arrow.file"},
	{4, "ftypavif", "image/avif"},
	{4, "ftypheic", "image/heic"},
	{0, "BZh", "application/x-bzip2"},
	{0, "\xfd7zXZ\x00", "application/x-xz"},
	{0, "\x28\xb5\x2f\xfd", "application/zstd"},
	{0, "7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"},
	{257, "ustar", "application/x-tar"},
}

// Told is what was told of a run.
type Told struct {
	Files      []sandbox.File
	Dropped    int      // files
	Left       []string // some of those, by their paths
	Violations []sandbox.Violation
	Complete   bool // every file was told

	// Ended says that the program is over, and Status with which wait status.
	// They count where the teller is not the program.
	Ended  bool
	Status uint32

	// Held are the limits that the program came up against. It could say so
	// itself: this counts where the kernel below it speaks.
	Held []sandbox.Reason
}

// Listen reads all that comes over frame.ArtifactFD: the files of the program, by the word of
// whoever sent them, and what the hooks told, which have the key of heard.
func Listen(heard *frame.Reports, l sandbox.Limits) Told {
	left := Read(heard, l)
	_, _ = io.Copy(io.Discard, heard) // what is no frame keeps no report from being heard
	left.Violations = Read(bytes.NewReader(heard.Told), l).Violations
	return left
}

// maxWord bounds a field that is one of a few words.
const maxWord = 100

// Read reads frames up to their end. What cannot be understood ends it, too.
func Read(r io.Reader, l sandbox.Limits) (told Told) {
	in, files := bufio.NewReader(r), NewFiles(l)
	defer func() {
		files.Leave()
		told.Files, told.Left = files.Taken, files.Left
		told.Dropped += files.Dropped
	}()
	for {
		tag, n, err := frame.Header(in)
		if err != nil {
			return told
		}
		switch tag {
		case Path:
			err = files.Path(in, n)
		case Data:
			err = files.Data(in, n)
		default:
			var word []byte
			if word, err = frame.Payload(in, n, maxWord); err == nil && told.word(tag, word) {
				return told
			}
		}
		if err != nil {
			return told
		}
	}
}

// word takes in a short field and reports whether it was the last.
func (t *Told) word(tag byte, word []byte) (last bool) {
	switch tag {
	case Tried, Probed, Ending:
		v := attempt(string(word))
		v.Stopped, v.Library = tag == Ending, tag == Probed
		t.Violations = Attempt(t.Violations, v)
		return false
	case Held:
		if r := sandbox.Reason(word); (r == sandbox.Pids || r == sandbox.Disk || r == sandbox.Files) && !slices.Contains(t.Held, r) {
			t.Held = append(t.Held, r)
		}
		return false
	case Done:
		if n, err := strconv.ParseUint(string(word), 10, 31); err == nil {
			t.Dropped += int(n)
			t.Complete = true
		}
	case Ended:
		if len(word) == 4 {
			t.Ended, t.Status = true, binary.BigEndian.Uint32(word)
		}
	}
	return true
}
