package python

import (
	"regexp"
	"strings"

	"sallyport/analyze"
)

// lentFiles are attributes by which what a function of a library gave hands out a file, or an object that
// writes files of any name, in which it has what it reads; or by which it is told to make objects of that.
// By the name of the attribute: the function, and what is not for a program.
func lentFiles() map[string][2]string {
	const archive = "numpy.lib.npyio.NpzFile."
	out := map[string][2]string{
		"zip": {"numpy.load", archive + "zip"}, "fid": {"numpy.load", archive + "fid"},
		"allow_pickle": {"numpy.load", archive + "allow_pickle"}, "pickle_kwargs": {"numpy.load", archive + "pickle_kwargs"},
		"book": {"pandas.ExcelFile", "pandas.io.excel.ExcelFile.book"}, "sheets": {excelWriter, "pandas.io.excel.ExcelWriter.sheets"},
	}
	for _, name := range strings.Fields("env loader template_html template_html_style template_html_table template_latex template_string template_typst") {
		out[name] = [2]string{styleOfTable, "pandas.io.formats.style.Styler." + name} // which make code of text and load modules
	}
	return out
}

// styleOfTable is what says how a table looks.
const styleOfTable = "pandas.DataFrame.style"

// lends notes that the program names such a function.
func (p *python) lends(name string) {
	switch name {
	case "numpy.load", "pandas.ExcelFile", styleOfTable:
	case excelWriter:
		p.lends("pandas.ExcelFile") // which has a workbook, too
	default:
		return
	}
	if p.lending[name] || p.quiet > 0 {
		return
	}
	p.lending[name], p.changed = true, true
}

// lentFile looks at attribute name of what is not known.
func (p *python) lentFile(i int, name string) {
	if f, ok := p.tables.lentFiles[name]; ok && p.lending[f[0]] {
		p.mention(i, symbol(f[1]), usage{how: analyze.HowReference})
	}
}

// fileInText is where a text that says what a font or a time is like says which file that is in.
var fileInText = regexp.MustCompile(`:\s*file\s*=|\bdateutil/(/|[^\]]*\.\.)`)

// fontFile and zoneFile are what finds the file of a font, and of a zone of time.
const (
	fontFile = "matplotlib.font_manager.FontProperties.fname"
	zoneFile = "pandas.io.common.dateutil.tz.gettz"
)

// namesFileInText looks at a text that stands at i for such a place.
func (p *python) namesFileInText(i int, v value) {
	if !p.atHand("matplotlib") && !p.atHand("pandas") {
		return // which looks at no text of most programs
	}
	a, ok := v.constant()
	if !ok || a.kind != atomString || !fileInText.MatchString(a.text) || p.unit.tree.Kind(p.unit.tree.Parent(i)) == kindExpressionStatement {
		return
	}
	switch {
	case strings.Contains(a.text, "file") && p.atHand("matplotlib"):
		p.mention(i, symbol(fontFile), usage{how: analyze.HowReference})
	case strings.Contains(a.text, "dateutil/"):
		p.mention(i, symbol(zoneFile), usage{how: analyze.HowReference})
	}
}

// namesFont looks at an argument of that name for the file of a font, or of a zone of time.
func (p *python) namesFont(i int, name string, v value) {
	switch name {
	case "tz":
		for _, a := range v.texts().atoms {
			if (p.atHand("matplotlib") || p.atHand("pandas")) && (strings.HasPrefix(a.text, "/") || strings.Contains(a.text, "..")) {
				p.mention(i, symbol(zoneFile), usage{how: analyze.HowReference})
			}
		}
	case "prop", "font", "fontproperties", "font_properties", "title_fontproperties":
		for _, a := range v.atoms {
			named := false
			if a.kind == atomContainer {
				_, named = p.containers[a.n].dict[atom{kind: atomString, text: "fname"}]
			}
			if p.atHand("matplotlib") && (named || a.kind == atomString && fileInText.MatchString(a.text)) {
				p.mention(i, symbol(fontFile), usage{how: analyze.HowReference})
			}
		}
	}
}
