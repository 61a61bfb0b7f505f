package mcp

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/gate"
	"sallyport/sandbox"
)

func withEnvironments() []any {
	return []any{
		func(o *gate.Options) {
			o.Environments = map[string]gate.Environment{
				"data": {Runtimes: map[analyze.Language]sandbox.Runtime{analyze.Python: {}}},
				"web":  {Runtimes: map[analyze.Language]sandbox.Runtime{analyze.JavaScript: {}}},
			}
		},
		func(o *Options) {
			o.Environments = answer.Environments{
				{Name: "data", Description: "tables with pandas", Languages: []string{"python"}, Packages: []string{
					"aaa==1", "bbb==1", "ccc==1", "ddd==1", "eee==1", "fff==1", "pandas==2.3.1", "scikit-learn==1.7.0"}},
				{Name: "web", Languages: []string{"javascript"}, Packages: []string{"@scope/tool@2.0.0", "lodash@4.17.21"}},
			}
			o.Interpreters = map[analyze.Language]string{analyze.Python: "Python 3.11"}
		},
	}
}

// The schema of a tool names the environments that have its language, and what
// is in them.
func TestToolsNameTheirEnvironments(t *testing.T) {
	f := newFixture(t, withEnvironments()...)
	tool := f.server.runTool("run_python_code", "Run Python", analyze.Python, "Python", "print")
	text := string(tool.RawInputSchema) + tool.Description
	for _, want := range []string{`"enum":["default","data"]`, "data: tables with pandas; pandas 2.3.1, aaa 1", "2 more", "nothing can be installed", "Python 3.11", "30 s"} {
		if !strings.Contains(text, want) {
			t.Errorf("the tool does not say %q: %s", want, text)
		}
	}
	if strings.Contains(text, "lodash") {
		t.Errorf("the tool for Python offers an environment without it: %s", text)
	}
}

// An environment that lacks the language is refused by its name, and no other
// one takes its place.
func TestEnvironmentWithoutTheLanguage(t *testing.T) {
	f := newFixture(t, withEnvironments()...)
	r := f.call("run_python_code", map[string]any{"code": "print(1)", "environment": "web"})
	if text := r.Content[0].Text; r.Meta.Result.Status != "refused" || !strings.Contains(text, `environment "web" has no python`) || !strings.Contains(text, "default, data") {
		t.Errorf("got %s", text)
	}
	if n := len(f.backend.specs); n != 0 {
		t.Errorf("%d programs ran", n)
	}
	if r := f.call("run_python_code", map[string]any{"code": "print(1)", "environment": "data"}); r.Meta.Result.Status != "ok" {
		t.Errorf("in the environment that has it: %+v", r.Meta.Result)
	}
	for environment, language := range map[string]string{"web": "python", "data": "typescript", "none": "python"} {
		if r := f.call("check_code", map[string]any{"language": language, "code": "1", "environment": environment}).Meta.Result; r.Reason != "environment" || r.Allowed {
			t.Errorf("check_code of %s in %s: %+v", language, environment, r)
		}
	}
	if r := f.call("check_code", map[string]any{"language": "typescript", "code": "1", "environment": "web"}).Meta.Result; !r.Allowed {
		t.Errorf("check_code in the environment that has it: %+v", r)
	}
}

// A model is told where the module is that its program did not find, or wanted to
// install; so is who asks over HTTP.
func TestMissingModules(t *testing.T) {
	f := newFixture(t, withEnvironments()...)
	const where = "environment data has pandas 2.3.1"
	lost := "# complain ModuleNotFoundError: No module named 'pandas'\nimport pandas"
	install := "import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'pip', 'install', '-q', 'pandas'])"
	for _, call := range []struct {
		tool string
		args map[string]any
	}{
		{"run_python_code", map[string]any{"code": lost}},
		{"run_python_code", map[string]any{"code": install}},
		{"check_code", map[string]any{"code": install, "language": "python"}},
	} {
		if text := f.call(call.tool, call.args).Content[0].Text; !strings.Contains(text, where) {
			t.Errorf("%s: %v is answered with %s", call.tool, call.args, text)
		}
	}
	plain := func(serve func(http.ResponseWriter, *http.Request, gate.Principal, []byte), code string) (a answer.Answer) {
		w := httptest.NewRecorder()
		serve(w, httptest.NewRequest(http.MethodPost, "/", nil), aProgram, []byte(plainRun(code)))
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
			t.Fatalf("%d %s: %v", w.Code, w.Body, err)
		}
		return a
	}
	api := NewAPI(f.server)
	for _, a := range []answer.Answer{plain(api.Run, lost), plain(api.Run, install), plain(api.Check, install)} {
		if !strings.Contains(a.Hint, where) {
			t.Errorf("over HTTP the hint is %q of %+v", a.Hint, a)
		}
	}
	if a := plain(api.Run, "print(1)"); a.Hint != "" {
		t.Errorf("a program that finds all has the hint %q", a.Hint)
	}
}

// A model does not take for whole what a program left that was stopped.
func TestHalfFiles(t *testing.T) {
	f := newFixture(t)
	const half = "The program was stopped, so the files may be half"
	if r := f.call("run_python_code", map[string]any{"code": "# half"}); !strings.Contains(r.Content[0].Text, half) {
		t.Errorf("%+v: %s", r.Meta.Result, r.Content[0].Text)
	}
	if r := f.call("run_python_code", map[string]any{"code": "# files"}); strings.Contains(r.Content[0].Text, half) {
		t.Errorf("of one that ended by itself: %s", r.Content[0].Text)
	}
}

// What a model is told of the tools stays short with environments, too. The
// figure in docs/mcp.md is measured with a tokenizer; a token is four bytes of
// this text and more.
func TestToolsStayShort(t *testing.T) {
	packages := []string{"matplotlib==3.10.3", "numpy==2.3.1", "openpyxl==3.1.5", "pandas==2.3.1", "pillow==11.3.0", "plotly==6.2.0", "scikit-learn==1.7.0", "scipy==1.16.0", "six==1.17.0"}
	f := newFixture(t, func(o *Options) {
		o.Environments = answer.Environments{
			{Name: "data", Description: "tables and plots: pandas, matplotlib, plotly, scikit-learn", Languages: []string{"python"}, Packages: packages},
			{Name: "web", Description: "lodash and date-fns", Languages: []string{"javascript"}, Packages: []string{"date-fns@4.1.0", "lodash@4.17.21"}},
		}
		o.Interpreters = map[analyze.Language]string{analyze.Python: "Python 3.11", analyze.JavaScript: "JavaScript (Node.js 22)"}
	})
	f.initialize()
	f.send(`{"jsonrpc":"2.0","id":9,"method":"tools/list"}`)
	var list struct {
		Tools []map[string]any `json:"tools"`
	}
	if err := json.Unmarshal(f.answer("9").Result, &list); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > 4600 || len(list.Tools) != 3 {
		t.Errorf("%d tools in %d bytes, want at most 4600: %s", len(list.Tools), len(b), b)
	}
	if path := os.Getenv("TOOLS_LIST"); path != "" { // for a tokenizer
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A file by reference reaches the sandbox as one, and a call that names what
// nobody may read is refused.
func TestFilesByReference(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in.csv"), []byte("a,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t,
		func(o *gate.Options) { o.Directories = map[string]string{"data": dir} },
		func(o *Options) { o.Directories = []string{"data"} })
	tool := f.server.runTool("run_python_code", "Run Python", analyze.Python, "Python", "print")
	if text := string(tool.RawInputSchema); !strings.Contains(text, "data:2026/in.csv") || !strings.Contains(text, `"required":["path"]`) {
		t.Errorf("the tool does not say how to name a file: %s", text)
	}
	run := func(file map[string]any) toolResult {
		return f.call("run_python_code", map[string]any{"code": "print(1)", "files": []any{file}})
	}
	r := run(map[string]any{"path": "x.csv", "from": "data:in.csv"})
	if got := f.backend.specs; r.Meta.Result.Status != "ok" || len(got) != 1 || len(got[0].References) != 1 || got[0].References[0].Path != "x.csv" || len(got[0].Files) != 0 {
		t.Errorf("got %+v with %+v", r.Meta.Result, got)
	}
	for _, file := range []map[string]any{
		{"path": "x.csv", "from": "data:../in.csv"}, {"path": "x.csv", "from": "other:in.csv"}, {"path": "x.csv", "from": ""},
		{"path": "x.csv", "from": "data:in.csv", "content": "1"}, {"path": "../x.csv", "from": "data:in.csv"},
	} {
		r := run(file)
		if text := r.Content[0].Text; r.Meta.Result.Status != "refused" || strings.Contains(text, dir) {
			t.Errorf("%v: %s: %s", file, r.Meta.Result.Status, text)
		}
	}
	if n := len(f.backend.specs); n != 1 {
		t.Errorf("%d programs ran", n)
	}
}
