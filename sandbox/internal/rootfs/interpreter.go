package rootfs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
)

// Interpreter is a language runtime and what it needs: host paths that are mounted
// read-only. It is the host's own or comes from another root file system.
type Interpreter struct {
	Language   string
	Executable string // absolute, links resolved
	Version    string
	SHA256     string
	Mounts     []string // absolute host paths, parents first, mounted where they are
	Parts      []string // all of them that it needs itself, where it can tell; for Pack

	// Compiled are the runner's modules as this interpreter compiles them, by their paths
	// in the runner's directory: else each sandbox would do that again.
	Compiled map[string][]byte

	Root  string  `json:"-"` // the root file system that was prepared for it
	Image string  `json:"-"` // the same with all that is mounted in it, in one file; "" is none
	Binds []Graft `json:"-"` // in place of Mounts, where it is not the host's
	Found bool    `json:"-"` // on the search path: nobody chose it

	// What Root holds besides the files that every root file system has.
	files []string
	links map[string]string
	dirs  []string
}

// askLimit is the time in which an interpreter answers our question. It is long
// because version managers start several shells first.
const askLimit = 10 * time.Second

// freshFor is how long we believe the cached answer of a script, such as a version
// manager's shim: the user may choose another version, and the script's own file
// stays the same.
const freshFor = 10 * time.Minute

// libraryDirs hold the dynamic linker, its libraries and the distribution's
// packages. Those that exist are mounted.
var libraryDirs = [...]string{"/usr/lib", "/usr/lib64", "/usr/lib32", "/lib", "/lib64", "/lib32"}

// pythonQuestion asks Python where its parts are. Python runs it on the host,
// without a look at the current directory and the environment. The time zones
// that zoneinfo reads are the system's, and so are locales and the system's name.
// What it compiles of the runner comes in on its standard input; the form is that of
// PEP 552, to be believed without a look at the source.
const pythonQuestion = `import sys,json,site
prefixes=[sys.prefix,sys.exec_prefix,sys.base_prefix,sys.base_exec_prefix]
try:loaded=sorted({l.split(None,5)[5].strip() for l in open("/proc/self/maps") if "/" in l})
except Exception:loaded=[]
try:
 import marshal
 from _frozen_importlib_external import MAGIC_NUMBER
 form=lambda path,text:(MAGIC_NUMBER+b"\1\0\0\0"+bytes(8)+marshal.dumps(compile(text,path,"exec",0,True))).hex()
 tag,compiled=sys.implementation.cache_tag,{k:form(*v) for k,v in json.load(sys.stdin).items()}
except Exception:tag,compiled=None,{}
print(json.dumps({"tag":tag,"compiled":compiled,
"executable":sys.executable,"version":"%d.%d.%d"%sys.version_info[:3],
"prefixes":prefixes,"path":sys.path+getattr(site,"getsitepackages",list)()+["/usr/share/zoneinfo"],
"loaded":loaded,"modules":prefixes+["/usr/lib/locale","/usr/lib/os-release"]}))`

// nodeQuestion asks Node the same, and which libraries it has loaded and where it
// looks for modules. Debian's Node keeps parts of itself in /usr/share/nodejs,
// beside the libraries of its users. What V8 compiles of the runner, and of the parser that
// Node carries, is whole, and for a V8 that nobody switched: it is asked with a seed of its
// own, so that it always says the same.
const nodeQuestion = `const p=require("path"),fs=require("fs");let loaded=[],tag=null,compiled={};
try{loaded=[...new Set(fs.readFileSync("/proc/self/maps","utf8").match(/\/.*$/gm))]}catch{}
try{
const {Script}=require("vm"),{setFlagsFromString}=require("v8"),all=[];
for(const flag of ["--hash-seed=0","--no-lazy"])setFlagsFromString(flag);
const acorn=require("module").wrap(process.binding("natives")["internal/deps/acorn/acorn/dist/acorn"]);
for(const [k,[filename,text]] of Object.entries(JSON.parse(fs.readFileSync(0,"utf8"))))all.push([k,new Script(text||acorn,{filename})]);
setFlagsFromString("--lazy");
for(const [k,script] of all)compiled[k]=script.createCachedData().toString("hex");
tag=process.versions.v8;
}catch{}
console.log(JSON.stringify({tag,compiled,executable:process.execPath,version:process.versions.node,
prefixes:[p.dirname(p.dirname(process.execPath))],path:["/usr/share/nodejs"],loaded,modules:require("module").globalPaths}))`

// told is what an interpreter answers.
type told struct {
	Executable string   `json:"executable"`
	Version    string   `json:"version"`
	Prefixes   []string `json:"prefixes"`
	Path       []string `json:"path"`
	Loaded     []string `json:"loaded"`
	Modules    []string `json:"modules"`

	Tag      string            `json:"tag"`
	Compiled map[string]string `json:"compiled"` // in hexadecimal
}

// cached is one entry of the interpreter cache.
type cached struct {
	Key   string // identity of the file that was asked
	Asked time.Time
	Found Interpreter
}

// host returns the interpreter that the operator chose for a language. Where he
// chose none, it returns the first usable one on the search path. Its error wraps
// ErrUnavailable.
func (f *Finder) host(ctx context.Context, language, chosen string) (Interpreter, error) {
	names, option := []string{"python3", "python"}, "sandbox.python"
	if language == "javascript" {
		names, option = []string{"node", "nodejs"}, "sandbox.node"
	}
	if chosen != "" {
		in, err := f.ask(ctx, language, chosen)
		if err != nil {
			return Interpreter{}, fmt.Errorf("%w: %s interpreter %s: %v", sandbox.ErrUnavailable, language, chosen, err)
		}
		return in, nil
	}
	var tried []error
	for _, dir := range filepath.SplitList(f.o.Path) {
		for _, name := range names {
			p := filepath.Join(dir, name)
			if info, err := os.Stat(p); !filepath.IsAbs(dir) || err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
				continue
			}
			in, err := f.ask(ctx, language, p)
			if err == nil {
				return in, nil
			}
			tried = append(tried, fmt.Errorf("%s: %v", p, err))
		}
	}
	if len(tried) == 0 {
		return Interpreter{}, fmt.Errorf("%w: no %s on the search path %q: install it (apt-get install %s) or name it in the configuration (%s)",
			sandbox.ErrUnavailable, names[0], f.o.Path, map[string]string{"python": "python3", "javascript": "nodejs"}[language], option)
	}
	return Interpreter{}, fmt.Errorf("%w: no usable %s: %v", sandbox.ErrUnavailable, names[0], errors.Join(tried...))
}

// ask returns the interpreter behind path. It asks the interpreter, unless the
// cache has its answer and the file has not changed since.
func (f *Finder) ask(ctx context.Context, language, path string) (Interpreter, error) {
	key, script, err := identity(path)
	if err != nil {
		return Interpreter{}, err
	}
	key += ":" + f.modules // which it compiles
	f.mu.Lock()
	c, ok := f.cache[language+" "+path]
	f.mu.Unlock()
	if ok && c.Key == key && (!script || time.Since(c.Asked) < freshFor) && sameFile(c.Found) {
		return c.Found, nil
	}
	in, err := examine(ctx, language, path, f.o.Path)
	if err != nil {
		return Interpreter{}, err
	}
	f.learn(language+" "+path, cached{Key: key, Asked: time.Now(), Found: in})
	return in, nil
}

// learn writes an answer to the cache, where the next process finds it too.
func (f *Finder) learn(at string, c cached) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cache[at] = c
	// Without a cache the next process asks again: that is slow and not wrong.
	_ = saveCache(f.cacheFile(), f.cache)
}

// examine asks the interpreter itself what it is and where it lives.
func examine(ctx context.Context, language, path, search string) (Interpreter, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	args := []string{"-I", "-c", pythonQuestion}
	if language == "javascript" {
		args = []string{"--hash-seed=1", "-e", nodeQuestion}
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + search}
	cmd.WaitDelay = time.Second
	source := map[string][2]string{}
	for name, text := range runner.Modules(language) {
		source[name] = [2]string{runner.Dir + "/" + name, text}
	}
	text, err := json.Marshal(source)
	if err != nil {
		return Interpreter{}, err
	}
	cmd.Stdin = bytes.NewReader(text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return Interpreter{}, fmt.Errorf("%v %s", err, firstLine(stderr.Bytes()))
	}
	var t told
	if err := json.Unmarshal(out, &t); err != nil {
		return Interpreter{}, fmt.Errorf("unexpected answer: %v", err)
	}
	return t.interpreter(language)
}

func (t told) interpreter(language string) (Interpreter, error) {
	if err := CheckVersion(language, t.Version); err != nil {
		return Interpreter{}, err
	}
	real, err := filepath.EvalSymlinks(t.Executable)
	if err != nil {
		return Interpreter{}, err
	}
	in := Interpreter{Language: language, Version: t.Version, Executable: real}
	// A virtual environment is known by the path of its own link. Its directory
	// is mounted where it really is, whatever link led there.
	dir, err := filepath.EvalSymlinks(filepath.Dir(t.Executable))
	if err != nil {
		return Interpreter{}, err
	}
	t.Executable = filepath.Join(dir, filepath.Base(t.Executable))
	for _, p := range t.Prefixes {
		if _, err := os.Stat(filepath.Join(p, "pyvenv.cfg")); err == nil {
			in.Executable = t.Executable
		}
	}
	if in.Mounts, err = t.mounts(real); err != nil {
		return Interpreter{}, err
	}
	in.Parts = t.parts(in)
	if in.Compiled, err = t.compiled(language); err != nil {
		return Interpreter{}, err
	}
	in.SHA256, err = fileHash(real)
	return in, err
}

// compiled are the runner's modules, nothing of an interpreter that keeps none compiled.
func (t told) compiled(language string) (map[string][]byte, error) {
	if t.Tag == "" {
		return nil, nil
	}
	all := map[string][]byte{}
	for name := range runner.Modules(language) {
		code, err := hex.DecodeString(t.Compiled[name])
		if err != nil || len(code) == 0 {
			return nil, fmt.Errorf("unexpected answer about %s: %v", name, err)
		}
		all[runner.Compiled(name, t.Tag)] = code
	}
	return all, nil
}

// Argv is the command of an interpreter that waits for the program of s.
func (in Interpreter) Argv(s sandbox.Spec) []string {
	argv := runner.Argv(in.Executable, s)
	if in.Found {
		argv = runner.Found(argv, s.Language)
	}
	return argv
}

// CheckVersion refuses an interpreter that the runner does not know.
func CheckVersion(language, version string) error {
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d.", &major, &minor); err != nil {
		return fmt.Errorf("version %q", version)
	}
	if language == "python" && (major != 3 || minor < 8) || language == "javascript" && major < 18 {
		return fmt.Errorf("version %s is too old: need Python 3.8 or Node 18", version)
	}
	return nil
}

// mounts lists what has to be mounted for the interpreter: the system's libraries,
// its own prefix where that is not the system's, and its executable.
func (t told) mounts(real string) ([]string, error) {
	var out []string
	add := func(p string) error {
		p = filepath.Clean(p)
		if home(p) {
			return fmt.Errorf("its prefix %s is too wide to show to a sandbox", p)
		}
		if info, err := os.Lstat(p); err != nil || info.Mode()&fs.ModeSymlink != 0 {
			return nil // links to system directories are made in the root file system
		}
		out = append(out, p)
		return nil
	}
	for _, p := range libraryDirs {
		if err := add(p); err != nil {
			return nil, err
		}
	}
	for _, p := range append(t.Prefixes, t.Path...) {
		p = filepath.Clean(p)
		if system(p) || !filepath.IsAbs(p) || strings.HasSuffix(p, ".zip") {
			continue
		}
		resolved, err := filepath.EvalSymlinks(p)
		if err != nil {
			continue
		}
		for _, q := range []string{p, resolved} {
			if err := add(q); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range []string{real, t.Executable} {
		if err := add(p); err != nil {
			return nil, err
		}
	}
	return outermost(append(out, linksBetween(t.Executable, real)...)), nil
}

// system reports whether p is a prefix of more than an interpreter.
func system(p string) bool { return p == "/usr" || p == "/usr/local" || p == "/" }

// parts lists what an interpreter needs that says what it has loaded: its
// executable, the libraries, and the directories of modules that a sandbox sees.
func (t told) parts(in Interpreter) []string {
	if len(t.Loaded) == 0 {
		return nil
	}
	out := append([]string{in.Executable}, libraries(in.Executable, t.Loaded)...)
	for _, dir := range append(t.Modules, t.Path...) {
		if real, err := filepath.EvalSymlinks(dir); err == nil && !system(real) && in.mounts(real) {
			out = append(out, real)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// linksBetween follows a link to the real file and returns the links on the way.
// The python3 of a virtual environment points to /usr/bin/python3, which is a link
// itself, in a directory that no sandbox sees. Each link is mounted, and shows the
// real file then.
func linksBetween(link, real string) (out []string) {
	for range 40 { // as many as the kernel follows
		to, err := os.Readlink(link)
		if err != nil {
			return out
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(link), to)
		}
		if link = filepath.Clean(to); link == real {
			return out
		}
		out = append(out, link)
	}
	return out
}

// home reports whether p is a directory that holds more than an interpreter.
func home(p string) bool {
	return p == "/" || filepath.Dir(p) == "/" && !slices.Contains(libraryDirs[:], p) && p != "/opt" ||
		filepath.Dir(p) == "/home" || p == "/usr/local" || p == "/var/lib"
}

// outermost sorts paths and drops each one that lies inside of another.
func outermost(paths []string) []string {
	slices.Sort(paths)
	var out []string
	for _, p := range paths {
		if n := len(out); n > 0 && (p == out[n-1] || strings.HasPrefix(p, out[n-1]+"/")) {
			continue
		}
		out = append(out, p)
	}
	return out
}

// identity names the file at path. Two files with the same identity are one file,
// and nobody has changed it.
func identity(path string) (key string, script bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", false, err
	}
	var magic [2]byte
	if _, err := io.ReadFull(f, magic[:]); err != nil {
		return "", false, err
	}
	st := info.Sys().(*syscall.Stat_t)
	parts := []string{"v7", strconv.FormatUint(st.Dev, 10), strconv.FormatUint(st.Ino, 10), strconv.FormatInt(st.Size, 10),
		strconv.FormatInt(st.Ctim.Nano(), 10)}
	return strings.Join(parts, ":"), string(magic[:]) == "#!", nil
}

// sameFile reports whether all that an interpreter needs is still there.
func sameFile(in Interpreter) bool {
	for _, p := range slices.Concat(in.Mounts, in.Parts) {
		if _, err := os.Stat(p); err != nil {
			return false
		}
	}
	return true
}

func fileHash(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func loadCache(path string) map[string]cached {
	c := map[string]cached{}
	if data, err := os.ReadFile(path); err != nil || json.Unmarshal(data, &c) != nil || c == nil {
		return map[string]cached{}
	}
	return c
}

func saveCache(path string, c map[string]cached) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return writeFile(path, data, 0o600)
}

func firstLine(b []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(b), []byte("\n"))
	return string(line[:min(len(line), 200)])
}
