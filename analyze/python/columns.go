package python

import (
	"regexp"

	"sallyport/analyze"
)

// variableInText is a name of the program in an expression on the columns of a table.
var variableInText = regexp.MustCompile(`@\s*([\pL_][\pL\pN_]*)`)

// asksVariables looks at an expression on columns for variables of the program, which it has the values
// of as if they were arguments. An operator hands them to whatever stands on its other side.
func (p *python) asksVariables(i int, name string, args *arguments) {
	if name != "pandas.DataFrame.query" && name != "pandas.DataFrame.eval" && name != "pandas.eval" {
		return
	}
	text, _ := args.get(0, "expr")
	for _, a := range text.atoms {
		if a.kind != atomString && a.kind != atomPrefix {
			continue
		}
		for _, found := range variableInText.FindAllStringSubmatch(a.text, -1) {
			v := p.vars[p.lookup(found[1], p.scope)].value.join(p.vars[p.lookup(found[1], p.module)].value)
			p.mention(i, v, usage{how: analyze.HowReference})
			p.hand(v)
			p.escape(v)
		}
	}
}
