package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"sallyport/answer"
	"sallyport/audit"
)

// learned is what programs of an environment asked of one host and port.
type learned struct {
	host    string
	port    int
	sent    int
	refused int
	runs    map[string]bool
	methods map[string]bool
	paths   map[string]int
	reasons map[string]int
}

// maxPaths is how many paths of a host are proposed one by one.
const maxPaths = 8

// notAllowed are the refusals that a rule of egress.allow could lift. The others
// are of rules that somebody wrote against a request, or of requests that nobody
// is to send.
var notAllowed = []string{"host is not allowed", "port is not allowed", "method is not allowed", "path is not allowed"}

// Learn writes, as YAML for a person to edit, the rules of egress.allow that would
// let through what programs asked of hosts. Everything in it but its form was
// chosen by programs.
func Learn(w io.Writer, entries iter.Seq2[audit.Entry, error]) error {
	environments := map[string]map[string]*learned{}
	total, left, unrun := 0, 0, 0
	for e, err := range entries {
		if err != nil {
			return err
		}
		if e.Event == audit.EventDecision && deniedForHost(e.Verdict) {
			unrun++
		}
		x := e.Egress
		if x == nil || e.Event != audit.EventEgress {
			continue
		}
		total++
		if !proposable(*x) {
			left++
			continue
		}
		name := cmp.Or(e.Caller.Environment, "default")
		if environments[name] == nil {
			environments[name] = map[string]*learned{}
		}
		at := fmt.Sprintf("%s %d", x.Host, x.Port)
		if x.Method == http.MethodConnect {
			at += " unseen"
		}
		l := environments[name][at]
		if l == nil {
			l = &learned{x.Host, x.Port, 0, 0, map[string]bool{}, map[string]bool{}, map[string]int{}, map[string]int{}}
			environments[name][at] = l
		}
		l.add(e.Decision, *x)
	}
	out := NewText(w, Style{})
	out.Printf("# What programs asked of hosts: %s. Nothing of this is in force.\n", answer.Count(total, "request"))
	out.Printf("# Programs chose these hosts and paths: take out what they are not to reach before it goes into sallyport.yaml.\n")
	if left > 0 {
		out.Printf("# Left out, because a rule refused it, or no rule can let it through: %s.\n", answer.Count(left, "request"))
	}
	if unrun > 0 {
		out.Printf("# Denied before they ran because of a host: %s. Look at them with: sallyport audit search --rule egress-host\n", answer.Count(unrun, "program"))
	}
	if len(environments) > 0 {
		out.Printf("environments:\n")
	}
	for _, name := range slices.Sorted(maps.Keys(environments)) {
		out.Printf("  %s:\n    egress:\n      allow:\n", Ready(quoted(name)))
		for _, at := range slices.Sorted(maps.Keys(environments[name])) {
			environments[name][at].write(out)
		}
	}
	return out.Err()
}

func deniedForHost(v *audit.Verdict) bool {
	return v != nil && v.Effect == "deny" && slices.ContainsFunc(v.Findings, func(f audit.Finding) bool { return f.Rule == "egress-host" })
}

// ordinary is a method that means itself in YAML.
var ordinary = regexp.MustCompile(`^[A-Z]+$`)

// proposable reports whether a rule could let a request through.
func proposable(x audit.Egress) bool {
	if _, err := netip.ParseAddr(x.Host); err == nil || x.Host == "" || !ordinary.MatchString(x.Method) || x.Path == "" && x.Method != http.MethodConnect {
		return false
	}
	return x.Allowed || slices.Contains(notAllowed, x.Reason)
}

func (l *learned) add(run string, x audit.Egress) {
	l.runs[run], l.methods[x.Method] = true, true
	l.paths[x.Path]++
	if x.Allowed {
		l.sent++
		return
	}
	l.refused++
	l.reasons[x.Reason]++
}

// write proposes a rule, below what it rests on.
func (l *learned) write(out *Text) {
	reasons := make([]string, 0, len(l.reasons))
	for _, reason := range slices.Sorted(maps.Keys(l.reasons)) {
		reasons = append(reasons, fmt.Sprintf("%s %d", reason, l.reasons[reason]))
	}
	out.Printf("        # %s in %s: %d sent, %d refused", answer.Count(l.sent+l.refused, "request"), answer.Count(len(l.runs), "run"), l.sent, l.refused)
	if len(reasons) > 0 {
		out.Printf(" (%s)", strings.Join(reasons, ", "))
	}
	name := strings.ReplaceAll(l.host, ".", "-")
	if l.port != 443 {
		name += fmt.Sprintf("-%d", l.port)
	}
	unseen := l.methods[http.MethodConnect]
	if unseen {
		name += "-unseen"
	}
	out.Printf("\n        - name: %s\n          host: %s\n", Ready(quoted(name)), Ready(quoted(l.host)))
	if l.port != 443 {
		out.Printf("          ports: [%d]\n", l.port)
	}
	if unseen {
		out.Printf("          opaque: true\n")
		return
	}
	out.Printf("          methods: [%s]\n", strings.Join(slices.Sorted(maps.Keys(l.methods)), ", "))
	paths, wide := l.patterns()
	if wide {
		out.Printf("          # %s asked for\n", answer.Count(len(l.paths), "path"))
	}
	for i, p := range paths {
		paths[i] = quoted(p)
	}
	out.Printf("          paths: [%s]\n", Ready(strings.Join(paths, ", ")))
}

// patterns are the paths, or what they have in common where they are many or
// would mean more than themselves in a rule.
func (l *learned) patterns() (all []string, wide bool) {
	all = slices.Sorted(maps.Keys(l.paths))
	odd := func(p string) bool { return strings.ContainsAny(p, "*…") || answer.Visible(p) != p }
	if len(all) <= maxPaths && !slices.ContainsFunc(all, odd) {
		return all, false
	}
	common := all[0]
	for _, p := range all[1:] {
		for !strings.HasPrefix(p, common) {
			common = common[:len(common)-1]
		}
	}
	for odd(common) {
		common = common[:len(common)-1]
	}
	return []string{common[:strings.LastIndexByte(common, '/')+1] + "*"}, true
}

// quoted is a text in YAML, whatever it looks like.
func quoted(text string) string {
	b, err := json.Marshal(answer.Visible(text))
	if err != nil {
		return `""`
	}
	return string(b)
}
