package main

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// TestLinks holds that every link of every page leads somewhere: to a file that
// is there, to a heading of it, or to a well-formed address. What is outside is
// not asked for.
func TestLinks(t *testing.T) {
	checked := 0
	for _, page := range pages(t) {
		text := readPage(t, page)
		for _, link := range linksOf(text) {
			checked++
			if why := brokenLink(t, page, link); why != "" {
				t.Errorf("%s: (%s): %s", page, link, why)
			}
		}
	}
	if checked < 40 {
		t.Errorf("only %d links found", checked)
	}
	for _, link := range []string{"docs/nowhere.md", "docs/policy.md#nowhere", "#nowhere", "http://example.org", "https://"} {
		if brokenLink(t, "README.md", link) == "" {
			t.Errorf("the link %q is not found to be broken", link)
		}
	}
}

// TestDocsIndex holds that every page of docs/ can be found from its index.
func TestDocsIndex(t *testing.T) {
	index := readPage(t, "docs/index.md")
	for _, page := range pages(t) {
		name, ok := strings.CutPrefix(page, "docs/")
		if ok && name != "index.md" && !strings.Contains(index, "]("+name+")") {
			t.Errorf("docs/index.md does not name %s", name)
		}
	}
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docsRoot, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	inlineLink = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	htmlLink   = regexp.MustCompile(`(?:href|src|srcset)="([^"]+)"`)
)

// linksOf returns the targets of links outside of code.
func linksOf(text string) []string {
	var links []string
	for _, line := range proseOf(text) {
		for _, pattern := range []*regexp.Regexp{inlineLink, htmlLink} {
			for _, m := range pattern.FindAllStringSubmatch(inlineCode.ReplaceAllString(line, ""), -1) {
				links = append(links, m[1])
			}
		}
	}
	return links
}

var inlineCode = regexp.MustCompile("`[^`]*`")

// proseOf returns the lines that are not in a block of code.
func proseOf(text string) []string {
	var out []string
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "```") {
			code = !code
		} else if !code {
			out = append(out, strings.TrimSuffix(line, "\n"))
		}
	}
	return out
}

// brokenLink says what is wrong with a link of a page, or "".
func brokenLink(t *testing.T, page, link string) string {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		return err.Error()
	}
	if u.IsAbs() {
		if u.Scheme == "mailto" && strings.Contains(u.Opaque, "@") || u.Scheme == "https" && strings.Contains(u.Host, ".") {
			return ""
		}
		return "not an https address"
	}
	target := page
	if u.Path != "" {
		target = path.Join(path.Dir(page), u.Path)
	}
	if _, err := os.Stat(filepath.Join(docsRoot, target)); err != nil {
		return "no such file"
	}
	if u.Fragment == "" || !strings.HasSuffix(target, ".md") {
		return ""
	}
	for _, line := range proseOf(readPage(t, target)) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' && headingAnchor(title) == u.Fragment {
			return ""
		}
	}
	return "no such heading in " + target
}

// headingAnchor is what GitHub makes of a heading: lower case, blanks as hyphens,
// everything else but letters, digits, hyphens and underscores gone.
func headingAnchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(title))
}

// TestTroubleshooting holds that the errors of docs/troubleshooting.md are said
// somewhere: each part between "…" stands in a text of the source.
func TestTroubleshooting(t *testing.T) {
	said := sourceText(t)
	checked := 0
	for _, line := range proseOf(readPage(t, "docs/troubleshooting.md")) {
		title, ok := strings.CutPrefix(line, "### `")
		if !ok {
			continue
		}
		checked++
		for part := range strings.SplitSeq(strings.TrimSuffix(title, "`"), "…") {
			if part = strings.Trim(part, " ?"); len(part) > 1 && !strings.Contains(said, part) {
				t.Errorf("%s: nothing says %q", title, part)
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d errors found", checked)
	}
}

// sourceText is all text in quotes of the Go source that is no test, with its
// quotes undone.
func sourceText(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(docsRoot, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata" || d.Name() == ".cache") {
			return cmp.Or(err, fs.SkipDir)
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if s, err := strconv.Unquote(l.Value); err == nil {
					b.WriteString(s + "\n")
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
