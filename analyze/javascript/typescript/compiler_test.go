package typescript

import (
	"context"
	_ "embed"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
	"sallyport/analyze/javascript"
)

// typescript.js reads TypeScript with its own compiler.
//
//go:embed testdata/typescript.js
var compilerScript string

// TestTypeScriptCompiler reads every .ts file below the directories of TYPESCRIPT with
// ours and with TypeScript's own compiler, and looks for one that crashes ours, or of
// which the two make different programs.
func TestTypeScriptCompiler(t *testing.T) {
	if os.Getenv("TYPESCRIPT") == "" {
		t.Skip("make typescript names the files")
	}
	compiler := analyzetest.StartScript(t, compilerScript)
	a := analyze.New(javascript.Reader(), Reader())
	type question struct {
		Text string  `json:"text"`
		Ours *string `json:"ours"`
	}
	type answer struct {
		OK      bool   `json:"ok"`
		More    bool   `json:"more"`
		Differs string `json:"differs"`
	}
	files, same, rewritten, refused, wrong := 0, 0, 0, 0, 0
	for _, root := range filepath.SplitList(os.Getenv("TYPESCRIPT")) {
		err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !isTypeScript(file) {
				return err
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			files++
			q := question{Text: string(text)}
			why := error(nil)
			src, why := a.Canonical(analyze.TypeScript, "", text)
			if why == nil {
				f, err := a.Facts(context.Background(), src)
				if err != nil {
					t.Fatal(err)
				}
				if ours := src.Text(); f.Complete {
					q.Ours = &ours
				} else {
					why = &analyze.Refusal{Code: f.Syntax[0].Code, Message: f.Syntax[0].Message}
				}
			}
			line, err := json.Marshal([]question{q})
			if err != nil {
				return err
			}
			var answers []answer
			if err := json.Unmarshal(compiler.Tell(t, line), &answers); err != nil {
				return err
			}
			switch o := answers[0]; {
			case !o.OK:
				wrong++
			case q.Ours == nil:
				refused++
				t.Logf("refused: %s: %v", file, why)
			case o.More:
				rewritten++
			case o.Differs != "":
				t.Errorf("%s: %s", file, o.Differs)
			default:
				same++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d files: %d the same, %d with more than types, %d refused, %d that the compiler refuses, too", files, same, rewritten, refused, wrong)
	if same == 0 {
		t.Error("nothing was compared")
	}
}

func isTypeScript(name string) bool {
	return !strings.HasSuffix(name, ".d.ts") && (strings.HasSuffix(name, ".ts") || strings.HasSuffix(name, ".mts") || strings.HasSuffix(name, ".cts"))
}
