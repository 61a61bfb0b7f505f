package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"sallyport/answer"
	"sallyport/audit"
)

// PageOptions says what a page shows besides the records.
type PageOptions struct {
	Now      time.Time      // when the report was made
	Period   string         // what was selected, in words; "" for the whole log
	Verified []audit.Report // what Verify found of each log; none when it was not asked
	Denials  int            // how many of the newest denials are listed; 0: 100
}

//go:embed page.html
var pageHTML string

// Page writes one HTML page of the log that needs nothing else: no script, no font, no
// network. The sequence is read twice. Everything that a record says is
// escaped, since the code under judgement may have chosen it.
func Page(w io.Writer, entries iter.Seq2[audit.Entry, error], opts PageOptions) error {
	page, err := template.New("page").Funcs(template.FuncMap{"visible": answer.Visible}).Parse(pageHTML)
	if err != nil {
		return err
	}
	v := view{PageOptions: opts, Stats: audit.Summarize(entries)}
	v.Effects = map[string]int{}
	for _, c := range v.Stats.Effects {
		v.Effects[c.Name] = c.Count
	}
	v.Access, v.InForce = bars(v.Stats.Access), bars(v.Stats.InForce)
	v.Rules, v.Runs, v.Clients = bars(v.Stats.Rules), bars(v.Stats.Runs), bars(v.Stats.Clients)
	r := v.Stats.Requests
	v.Hosts, v.Methods, v.Refusals = bars(r.Hosts), bars(r.Methods), bars(r.Reasons)
	v.timeline(entries)
	v.denials(entries, cmp.Or(opts.Denials, 100))
	return page.Execute(w, v)
}

// view is what the page shows.
type view struct {
	PageOptions
	Stats   audit.Stats
	Effects map[string]int
	Columns []column
	Step    string // what one column stands for
	Rules   []bar
	Runs    []bar
	Access  []bar
	InForce []bar
	Clients []bar
	List    []denial

	Hosts, Methods, Refusals []bar // of requests to hosts

	More int // denials that are not listed
}

// bar is one line of a ranking.
type bar struct {
	Name    string
	Count   int
	Percent int // of the largest
}

// maxBars bounds a ranking; the rest is summed up.
const maxBars = 10

func bars(counts []audit.Count) []bar {
	var list []bar
	rest := 0
	for i, c := range counts {
		if i >= maxBars {
			rest += c.Count
			continue
		}
		list = append(list, bar{c.Name, c.Count, max(1, 100*c.Count/counts[0].Count)})
	}
	if rest > 0 {
		list = append(list, bar{fmt.Sprintf("%d others", len(counts)-maxBars), rest, min(100, max(1, 100*rest/counts[0].Count))})
	}
	return list
}

// column is one step of the chart over time. Its parts are heights, in units
// of which the tallest column has chartHeight.
type column struct {
	Label             string
	X                 int
	Allow, Deny, Ask  int
	AllowY, DenyY     int // tops
	AllowH, DenyH     int
	AskY, AskH, Total int
}

const (
	chartHeight = 1000
	maxColumns  = 62
)

// steps are the lengths that a column may stand for.
var steps = []struct {
	length time.Duration
	name   string
	format string
}{
	{time.Hour, "hour", "2 Jan 15:04"},
	{6 * time.Hour, "6 hours", "2 Jan 15:04"},
	{24 * time.Hour, "day", "2 Jan 2006"},
	{7 * 24 * time.Hour, "week", "2 Jan 2006"},
	{30 * 24 * time.Hour, "30 days", "2 Jan 2006"},
	{365 * 24 * time.Hour, "365 days", "2 Jan 2006"},
}

func (v *view) timeline(entries iter.Seq2[audit.Entry, error]) {
	if v.Stats.Decisions == 0 {
		return
	}
	step := steps[len(steps)-1]
	for _, s := range steps {
		if v.Stats.To.Sub(v.Stats.From.Truncate(s.length))/s.length < maxColumns {
			step = s
			break
		}
	}
	v.Step = step.name
	start := v.Stats.From.Truncate(step.length)
	n := min(int(v.Stats.To.Sub(start)/step.length)+1, 10*maxColumns)
	v.Columns = make([]column, n)
	for i := range v.Columns {
		v.Columns[i] = column{X: i, Label: start.Add(time.Duration(i) * step.length).Format(step.format)}
	}
	for e, err := range entries {
		if err != nil || e.Event != audit.EventDecision || e.Verdict == nil {
			continue
		}
		c := &v.Columns[min(n-1, int(e.Time.Sub(start)/step.length))]
		switch e.Verdict.Effect {
		case "allow":
			c.Allow++
		case "ask":
			c.Ask++
		default:
			c.Deny++
		}
	}
	scale(v.Columns)
}

// scale stacks the parts of each column: denials at the foot, where they can
// be compared, then questions, then what was allowed.
func scale(columns []column) {
	tallest := 1
	for _, c := range columns {
		tallest = max(tallest, c.Allow+c.Deny+c.Ask)
	}
	height := func(n int) int {
		if n == 0 {
			return 0
		}
		return max(4, n*chartHeight/tallest)
	}
	for i := range columns {
		c := &columns[i]
		c.Total = c.Allow + c.Deny + c.Ask
		c.DenyH, c.AskH, c.AllowH = height(c.Deny), height(c.Ask), height(c.Allow)
		c.DenyY = chartHeight - c.DenyH
		c.AskY = c.DenyY - c.AskH
		c.AllowY = c.AskY - c.AllowH
	}
}

// First, Middle and End label the axis.
func (v view) First() string  { return v.Columns[0].Label }
func (v view) Middle() string { return v.Columns[len(v.Columns)/2].Label }
func (v view) End() string    { return v.Columns[len(v.Columns)-1].Label }

// Tallest is what the top of the chart stands for.
func (v view) Tallest() int {
	return slices.MaxFunc(v.Columns, func(a, b column) int { return a.Total - b.Total }).Total
}

// denial is one entry of the list.
type denial struct {
	audit.Entry
	Findings []finding
}

type finding struct {
	audit.Finding
	Frame []frameLine
}

type frameLine struct {
	Number int
	Text   string
	Here   bool
}

func (v *view) denials(entries iter.Seq2[audit.Entry, error], most int) {
	for e, err := range entries {
		if err != nil || e.Event != audit.EventDecision || e.Verdict == nil || e.Verdict.Effect == "allow" {
			continue
		}
		d := denial{Entry: e}
		for _, f := range e.Verdict.Findings {
			if f.Action != "log" {
				d.Findings = append(d.Findings, finding{f, frame(e.Source, f.Line)})
			}
		}
		v.List = append(v.List, d)
		if len(v.List) > most {
			v.List = v.List[1:]
			v.More++
		}
	}
	slices.Reverse(v.List)
}

// frame shows the line of a finding between its neighbours, where the log
// keeps the code.
func frame(src *audit.Source, line int) []frameLine {
	const around, widest = 2, 200
	if src == nil || src.Code == "" || line < 1 {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(src.Code, "\n"), "\n")
	var list []frameLine
	for n := max(1, line-around); n <= min(len(lines), line+around); n++ {
		text := []rune(strings.ReplaceAll(strings.TrimSuffix(lines[n-1], "\r"), "\t", "    "))
		if len(text) > widest {
			text = append(text[:widest:widest], '…')
		}
		list = append(list, frameLine{n, answer.Visible(string(text)), n == line})
	}
	return list
}

// JudgeMS is the median time of a judgement.
func (v view) JudgeMS() float64 { return float64(v.Stats.JudgeUS.P50) / 1000 }

// MB is a number of bytes as people read it.
func (v view) MB(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// Total is how many denials there are.
func (v view) Total() int { return len(v.List) + v.More }
