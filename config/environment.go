package config

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Environment is what programs run in, by a name that callers may choose. The
// name "default" is that of callers who choose none.
type Environment struct {
	Description string            `yaml:"description"` // for people and models
	Python      Toolchain         `yaml:"python"`
	JavaScript  Toolchain         `yaml:"javascript"`
	Env         map[string]string `yaml:"env"`     // variables of the program
	Secrets     map[string]Secret `yaml:"secrets"` // variables whose values are kept out of every output
	Mounts      []Mount           `yaml:"mounts"`  // directories of this machine
	Egress      *Egress           `yaml:"egress"`  // hosts that programs may reach; nil: none
	Preload     []string          `yaml:"preload"` // modules that a waiting Python has imported already
}

// Toolchain is what programs of one language run with. At most one of
// Interpreter and Lock is set.
type Toolchain struct {
	Interpreter string `yaml:"interpreter"` // path on this machine, or inside Image
	Lock        string `yaml:"lock"`        // pip requirements with hashes, or package-lock.json; installed by `sallyport env build`

	// Image is the root file system: by digest in a registry, or a local
	// docker-archive:, oci-layout: or dir:. Empty is the host's own files.
	Image string `yaml:"image"`
}

// resolveImage makes the path of a local image absolute.
func (t *Toolchain) resolveImage(abs func(*string)) {
	for _, prefix := range []string{"docker-archive:", "oci-layout:", "dir:"} {
		if p, ok := strings.CutPrefix(t.Image, prefix); ok {
			abs(&p)
			t.Image = prefix + p
		}
	}
}

// Secret says where a value comes from: one of the three.
type Secret struct {
	Env  string   `yaml:"env"`  // variable of sallyport's own environment
	File string   `yaml:"file"` // path
	Exec []string `yaml:"exec"` // program of this machine and its arguments, which prints it

	Broker  *Broker `yaml:"broker"`  // requests get the value; programs get a sentinel in its place
	Exposed bool    `yaml:"exposed"` // in an environment with egress: programs get the value nevertheless
}

// resolve makes its paths absolute.
func (s *Secret) resolve(abs func(*string)) {
	abs(&s.File)
	if len(s.Exec) > 0 && strings.Contains(s.Exec[0], "/") {
		abs(&s.Exec[0])
	}
}

func (s Secret) oneSource() bool {
	from := []bool{s.Env != "", s.File != "", len(s.Exec) > 0 && s.Exec[0] != ""}
	return len(slices.DeleteFunc(from, func(is bool) bool { return !is })) == 1
}

// Mount is a directory that programs can read, or have a copy of.
type Mount struct {
	Source   string `yaml:"source"`
	Target   string `yaml:"target"`
	Writable bool   `yaml:"writable"` // a copy, thrown away after the run; Source is never written
}

var (
	environmentName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	variableName    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	moduleName      = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`)
)

// Targets that are the sandbox's own.
var reservedTargets = []string{"/", "/bin", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys", "/tmp", "/usr", "/workspace", "/.sallyport"}

// Steers reports whether a variable makes an interpreter or the loader run or
// read other code than what was judged. Programs never get one of these.
func Steers(name string) bool {
	if name == "PATH" || name == "HOME" {
		return true
	}
	for _, prefix := range []string{"PYTHON", "NODE_", "NPM_", "LD_", "DYLD_", "GLIBC_", "GCONV_", "MALLOC_", "OPENSSL_"} {
		if strings.HasPrefix(strings.ToUpper(name), prefix) {
			return true
		}
	}
	return false
}

func (e Environment) validate(name string) error {
	at := "environments." + name
	if !environmentName.MatchString(name) {
		return bad("environments."+name, "%q is not a name of lower-case letters, digits, dots and dashes", name)
	}
	for language, t := range map[string]Toolchain{"python": e.Python, "javascript": e.JavaScript} {
		if t.Interpreter != "" && t.Lock != "" {
			return bad(at+"."+language, "interpreter and lock exclude each other")
		}
		if t.Image != "" && t.Lock != "" && language == "python" {
			return bad(at+"."+language, "image and lock exclude each other: packages of an image are those inside")
		}
		if t.Image != "" && t.Interpreter != "" && !path.IsAbs(t.Interpreter) {
			return bad(at+"."+language, "the interpreter %q is not an absolute path inside the image", t.Interpreter)
		}
	}
	for v := range e.Env {
		if err := checkVariable(v); err != nil {
			return bad(at+".env."+v, "%w", err)
		}
	}
	for v, s := range e.Secrets {
		if err := checkVariable(v); err != nil {
			return bad(at+".secrets."+v, "%w", err)
		}
		if _, twice := e.Env[v]; twice {
			return bad(at+".secrets."+v, "%s is in env and in secrets", v)
		}
		if !s.oneSource() {
			return bad(at+".secrets."+v, "needs one of env, file and exec")
		}
	}
	for i, m := range e.Preload {
		if key := fmt.Sprintf("%s.preload[%d]", at, i); !moduleName.MatchString(m) {
			return bad(key, "%q is not the name of a module", m)
		} else if e.JavaScript != (Toolchain{}) && e.Python == (Toolchain{}) {
			return bad(key, "this environment has no python, and modules of javascript are not preloaded")
		}
	}
	if err := e.validateEgress(at); err != nil {
		return err
	}
	for i, m := range e.Mounts {
		mount := fmt.Sprintf("%s.mounts[%d]", at, i)
		if m.Source == "" {
			return bad(mount, "a mount needs a source")
		}
		if !path.IsAbs(m.Target) || path.Clean(m.Target) != m.Target || slices.ContainsFunc(reservedTargets, func(r string) bool {
			return m.Target == r || r != "/" && strings.HasPrefix(m.Target, r+"/")
		}) {
			return bad(mount, "%q is not a clean absolute path outside of what the sandbox has itself", m.Target)
		}
	}
	return nil
}

func checkVariable(name string) error {
	if !variableName.MatchString(name) {
		return fmt.Errorf("%q is not the name of a variable", name)
	}
	if Steers(name) {
		return fmt.Errorf("%s changes how programs are loaded", name)
	}
	return nil
}
