package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"sallyport/answer"
	"sallyport/policy"
)

// junitReport writes JUnit XML: a test case for each file, which fails when
// the file fails the check. encoding/xml escapes what the adversary named, and
// replaces what XML cannot hold.
type junitReport struct {
	w      io.Writer
	failOn FailOn
	suite  junitSuite
	spent  time.Duration
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitProblem `xml:"failure"`
	Error   *junitProblem `xml:"error"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

func (j *junitReport) File(f File) error {
	spent := time.Duration(f.Answer.Durations.Judge) * time.Microsecond
	t := junitCase{Class: "sallyport.check", Name: f.Name, Time: seconds(spent)}
	d := f.Answer.Decision
	switch lines := junitLines(f.Name, Reasons(d)); {
	case f.Err != nil:
		j.suite.Errors++
		t.Error = &junitProblem{Message: f.Err.Error(), Type: "unreadable"}
	case j.failOn.Fails(d):
		j.suite.Failures++
		t.Failure = &junitProblem{Message: fmt.Sprintf("%s: %s", f.Name, d.Effect), Type: string(d.Reason), Text: lines}
		if d.Effect == policy.Allow {
			t.Failure.Message = f.Name + ": allowed with warnings"
		}
	default:
		t.Output = lines
	}
	j.spent += spent
	j.suite.Tests++
	j.suite.Cases = append(j.suite.Cases, t)
	return nil
}

func (j *junitReport) End(Summary) error {
	j.suite.Name, j.suite.Time = "sallyport check", seconds(j.spent)
	b, err := xml.MarshalIndent(junitSuites{Suites: []junitSuite{j.suite}}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(j.w, "%s%s\n", xml.Header, b)
	return err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.6f", d.Seconds()) }

func junitLines(name string, findings []policy.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s: %s %s: %s\n", answer.Place(name, f), f.Action, f.Rule, f.Message)
		if f.Remediation != "" {
			fmt.Fprintf(&b, "  instead: %s\n", f.Remediation)
		}
	}
	return b.String()
}
