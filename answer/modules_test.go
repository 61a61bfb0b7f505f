package answer

import (
	"strings"
	"testing"

	"sallyport/gate"
	"sallyport/policy"
	"sallyport/sandbox"
)

var environments = Environments{
	{Name: "data", Description: "tables with pandas", Languages: []string{"python"}, Packages: []string{
		"aaa==1", "bbb==1", "ccc==1", "ddd==1", "eee==1", "fff==1", "pandas==2.3.1", "scikit-learn==1.7.0"}},
	{Name: "web", Languages: []string{"javascript"}, Packages: []string{"@scope/tool@2.0.0", "lodash@4.17.21"}},
}

// What a program did not find is answered with where it is to be had.
func TestAdviseMissing(t *testing.T) {
	for _, tt := range []struct{ language, stderr, want string }{
		{"python", "Traceback…\nModuleNotFoundError: No module named 'pandas'\n", "environment data has pandas 2.3.1"},
		{"python", "ModuleNotFoundError: No module named 'sklearn'\n", "environment data has scikit-learn 1.7.0"},
		{"python", "ModuleNotFoundError: No module named 'torch'\n", "No environment is known to have torch, and nothing can be installed. What there is beside the standard library: data: tables with pandas; pandas 2.3.1"},
		{"javascript", "Error: Cannot find module 'lodash/fp'\nRequire stack:\n", "environment web has lodash 4.17.21"},
		{"javascript", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@scope/tool' imported from x\n", "environment web has @scope/tool 2.0.0"},
		{"javascript", "Error: Cannot find module 'react'\n", "No environment is known to have react"},
		{"python", "Traceback…\nValueError: EOFError: EOF when reading a line\n", ""},
		{"python", "ModuleNotFoundError: No module named 'pandas.nothing'\n", ""}, // its package is there
		{"python", "ImportError: cannot import name 'x' from 'pandas'\n", ""},
	} {
		a := New(gate.Answer{Source: gate.SourceInfo{Language: tt.language}, Result: &sandbox.Result{Reason: sandbox.Exited, Exit: 1, Stderr: []byte(tt.stderr)}}, nil)
		asked := false
		a.Advise(func() Environments { asked = true; return environments }, "")
		if (tt.want == "") != (a.Hint == "") || !strings.Contains(a.Hint, tt.want) {
			t.Errorf("%s: %q is answered with %q, want %q", tt.language, tt.stderr, a.Hint, tt.want)
		}
		if asked != (tt.want != "") {
			t.Errorf("%s: %q: the environments were asked for: %v", tt.language, tt.stderr, asked)
		}
	}
	a := New(gate.Answer{Source: gate.SourceInfo{Language: "python"}, Result: &sandbox.Result{Reason: sandbox.Exited, Stderr: []byte("ModuleNotFoundError: No module named 'pandas'\n")}}, nil)
	if a.Advise(func() Environments { return environments }, ""); a.Hint != "" {
		t.Errorf("a program that did without is told %q", a.Hint)
	}
}

// A program without a file that it reads is told how to give it.
func TestAdviseFiles(t *testing.T) {
	for _, tt := range []struct{ language, stderr, want string }{
		{"python", "Traceback…\nFileNotFoundError: [Errno 2] No such file or directory: 'sales.csv'\n", "has no sales.csv: give it with the call, in files; sallyport run has --file PATH."},
		{"javascript", "Error: Cannot find module './lib/util'\n", "has no lib/util: give it with the call, in files; sallyport run has --file PATH=NAME, where NAME is with its directories."},
		{"python", "FileNotFoundError: [Errno 2] No such file or directory: 'a'\n\nDuring…\nFileNotFoundError: [Errno 2] No such file or directory: 'b c'\n", "has no b c:"},
		{"python", "FileNotFoundError: [Errno 2] No such file or directory: '/etc/sales.csv'\n", ""},
		{"python", "ValueError: FileNotFoundError: [Errno 2] No such file or directory: 'x'\n", ""},
		{"python", "FileNotFoundError: [Errno 2] No such file or directory: '/workspace/words.txt'\n", "has no words.txt:"},
		{"javascript", "Error: ENOENT: no such file or directory, open 'sales.csv'\n    at x\n", "has no sales.csv:"},
		{"javascript", "Error: ENOENT: no such file or directory, open '/workspace/a/b.csv'\n", "has no a/b.csv:"},
		{"javascript", "Error: Cannot find module './mine.js'\nRequire stack:\n", "has no mine.js:"},
		{"python", "ModuleNotFoundError: No module named 'mine'\n", "use the standard library. If it is a file of yours, give it with the call"},
	} {
		a := New(gate.Answer{Source: gate.SourceInfo{Language: tt.language}, Result: &sandbox.Result{Reason: sandbox.Exited, Exit: 1, Stderr: []byte(tt.stderr)}}, nil)
		a.Advise(func() Environments { return nil }, "")
		if (tt.want == "") != (a.Hint == "") || !strings.Contains(a.Hint, tt.want) {
			t.Errorf("%s: %q is answered with %q, want %q", tt.language, tt.stderr, a.Hint, tt.want)
		}
	}
}

// A program that reads more than it was given is told how to give it more.
func TestAdviseInput(t *testing.T) {
	a := New(gate.Answer{Source: gate.SourceInfo{Language: "python"}, Result: &sandbox.Result{Reason: sandbox.Exited, Exit: 1, Stderr: []byte("Traceback…\nEOFError: EOF when reading a line\n")}}, nil)
	if a.Advise(nil, ""); !strings.Contains(a.Hint, "standard input was empty") {
		t.Errorf("the hint is %q", a.Hint)
	}
}

// What a program wanted to install is answered so, where that was denied.
func TestAdviseInstall(t *testing.T) {
	for _, tt := range []struct{ language, code, want string }{
		{"python", "subprocess.run([sys.executable, '-m', 'pip', 'install', '-q', 'pandas'])", "environment data has pandas 2.3.1"},
		{"python", "os.system('pip3 install torch')", "No environment is known to have torch"},
		{"python", `{"source": "%pip install pandas"}`, "environment data has pandas 2.3.1"},
		{"javascript", "child_process.execSync('npm i lodash')", "environment web has lodash 4.17.21"},
		{"python", "os.system('ls')", ""},
	} {
		for _, effect := range []policy.Effect{policy.Deny, policy.Allow} {
			a := New(gate.Answer{Source: gate.SourceInfo{Language: tt.language}, Decision: policy.Decision{Effect: effect}}, nil)
			a.Advise(func() Environments { return environments }, tt.code)
			if want := tt.want != "" && effect == policy.Deny; want != (a.Hint != "") || want && !strings.Contains(a.Hint, tt.want) {
				t.Errorf("%s %q is answered with %q", effect, tt.code, a.Hint)
			}
		}
	}
}

// Where there are no packages, nothing is promised.
func TestAdviseWithoutPackages(t *testing.T) {
	a := New(gate.Answer{Source: gate.SourceInfo{Language: "python"}, Decision: policy.Decision{Effect: policy.Deny}}, nil)
	a.Advise(func() Environments { return nil }, "os.system('pip install pandas')")
	if want := "No environment is known to have pandas, and nothing can be installed: use the standard library."; a.Hint != want {
		t.Errorf("%q, want %q", a.Hint, want)
	}
}

// Of the default environment is promised what is known of it.
func TestDefaultEnvironment(t *testing.T) {
	for name, tt := range map[string]struct {
		all  Environments
		want string
	}{
		"of the host":         {nil, "default: the standard library, and whatever else its interpreter has installed."},
		"with an interpreter": {Environments{{Name: "default", Languages: []string{"python"}}}, "default: the standard library, and whatever else its interpreter has installed."},
		"with a lock":         {Environments{{Name: "default", Packages: []string{"numpy==2.3.1"}}}, "default: the language and its standard library; numpy 2.3.1."},
		"that says itself":    {Environments{{Name: "default", Description: "ours"}}, "default: ours."},
	} {
		if got := tt.all.Of("python")[0].InShort("python"); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
