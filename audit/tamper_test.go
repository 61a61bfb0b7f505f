package audit

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// intactLog is a log in memory, to be damaged and written out.
type intactLog struct {
	names []string
	lines map[string][][]byte // with their newlines
	head  Checkpoint
}

func readLog(t *testing.T, dir string) intactLog {
	t.Helper()
	log := intactLog{lines: map[string][][]byte{}}
	var err error
	log.names, err = segments(dir)
	check(t, err)
	for _, name := range log.names {
		b, err := os.ReadFile(filepath.Join(dir, name))
		check(t, err)
		log.lines[name] = slices.DeleteFunc(bytes.SplitAfter(b, []byte("\n")), func(l []byte) bool { return len(l) == 0 })
	}
	r := mustVerify(t, dir)
	if !r.OK() {
		t.Fatalf("the log is damaged before the test: %v", r.Problems)
	}
	log.head = Checkpoint{Version: CheckpointVersion, Seq: r.Last, Hash: r.Head}
	return log
}

// damage changes the record at index i of lines, adds the result to out, and
// says how many of the records it used up.
type damage func(lines [][]byte, i int, out [][]byte) ([][]byte, int)

var damages = map[string]damage{
	"dropped": func(_ [][]byte, _ int, out [][]byte) ([][]byte, int) {
		return out, 1
	},
	"duplicated": func(lines [][]byte, i int, out [][]byte) ([][]byte, int) {
		return append(out, lines[i], lines[i]), 1
	},
	"swapped": func(lines [][]byte, i int, out [][]byte) ([][]byte, int) {
		if i+1 == len(lines) { // with the one before
			last := out[len(out)-1]
			return append(out[:len(out)-1], lines[i], last), 1
		}
		return append(out, lines[i+1], lines[i]), 2
	},
	"replaced by an older one": func(lines [][]byte, i int, out [][]byte) ([][]byte, int) {
		return append(out, lines[(i+len(lines)/2)%len(lines)]), 1
	},
	"rewritten with a hash that fits": func(lines [][]byte, i int, out [][]byte) ([][]byte, int) {
		body := bytes.Replace(lines[i][:len(lines[i])-1-hashTail], []byte(`"note":"`), []byte(`"note":"not `), 1)
		return append(out, fmt.Appendf(nil, "%s%s%s\"}\n", body, hashHead, sumLine(body))), 1
	},
	"flipped": func(lines [][]byte, i int, out [][]byte) ([][]byte, int) {
		line := bytes.Clone(lines[i])
		at := rand.IntN(len(line) - 1) // newlines are flipped in the test of every byte
		line[at] ^= 1 << rand.IntN(8)
		if line[at] == '\n' {
			line[at] = 0
		}
		return append(out, line), 1
	},
}

// Every record of a log of 10,000 is damaged once in each way. To be quick,
// one pass damages every 40th, and asks for each of them to be found where it
// is.
func TestEveryDamagedRecordIsFound(t *testing.T) {
	dir := t.TempDir()
	const records, step = 10_000, 40
	fill := openLog(t, Options{Dir: dir, MaxBytes: 512 << 10})
	fillLog(t, fill, records, func(i int) Record { return Record{Event: EventNote, Note: strconv.Itoa(i)} })
	check(t, fill.Close())
	log := readLog(t, dir)
	for name, hurt := range damages {
		t.Run(name, func(t *testing.T) {
			work := t.TempDir()
			total := 0
			for phase := range step {
				total += log.damageAndVerify(t, work, hurt, phase, step)
			}
			if total < records {
				t.Errorf("only %d records were damaged", total)
			}
		})
	}
}

// damageAndVerify writes the log to dir with every step-th record damaged,
// and fails t for each one that the verifier does not point at.
func (log intactLog) damageAndVerify(t *testing.T, dir string, hurt damage, phase, step int) int {
	t.Helper()
	type spot struct {
		segment string
		line    int
	}
	var spots []spot
	var follows []string // for each spot at the end of a segment, the next one
	for s, name := range log.names {
		lines := log.lines[name]
		var out [][]byte
		for i := 0; i < len(lines); {
			if i%step != phase {
				out = append(out, lines[i])
				i++
				continue
			}
			line := len(out) + 1
			next, used := hurt(lines, i, out)
			out = next
			i += used
			spots = append(spots, spot{name, line})
			follow := ""
			if i == len(lines) && s+1 < len(log.names) {
				follow = log.names[s+1]
			}
			follows = append(follows, follow)
		}
		if last := len(spots) - 1; spots[last].segment == name && spots[last].line > len(out) {
			spots[last].line = 0 // what was at the end is missing
		}
		check(t, os.WriteFile(filepath.Join(dir, name), bytes.Join(out, nil), 0o600))
	}
	r, err := VerifyAgainst(dir, Trust{Checkpoints: []Checkpoint{log.head}})
	check(t, err)
	found := map[spot]bool{}
	for _, p := range r.Problems {
		found[spot{p.Segment, p.Line}] = true
	}
	cut := found[spot{checkpointName, 0}]
	for i, s := range spots {
		near := found[s] || found[spot{s.segment, s.line + 1}] || found[spot{s.segment, s.line - 1}] || found[spot{s.segment, 0}] || found[spot{follows[i], 1}]
		if !near && !(cut && i == len(spots)-1) && !(len(r.Torn) > 0 && i == len(spots)-1) {
			t.Fatalf("nothing found at %s:%d, %d problems in all", s.segment, s.line, r.Found)
		}
	}
	if r.OK() {
		t.Errorf("%d damaged records, and the log verifies", len(spots))
	}
	return len(spots)
}

func TestEveryFlippedByteIsFound(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir, MaxBytes: 2 << 10})
	appendN(t, l, 5)
	log := readLog(t, dir)
	if len(log.names) < 2 {
		t.Fatal("the test wants more than one segment")
	}
	trust := Trust{Checkpoints: []Checkpoint{log.head}}
	for _, name := range log.names {
		path := filepath.Join(dir, name)
		whole := bytes.Join(log.lines[name], nil)
		for i := range whole {
			bad := bytes.Clone(whole)
			bad[i] ^= 1 << (i % 8)
			check(t, os.WriteFile(path, bad, 0o600))
			r, err := VerifyAgainst(dir, trust)
			check(t, err)
			if r.OK() {
				t.Fatalf("byte %d of %s flipped from %q to %q: the log verifies", i, name, whole[i], bad[i])
			}
		}
		check(t, os.WriteFile(path, whole, 0o600))
	}
}

// The chain cannot show a cut tail; the checkpoint kept elsewhere must, for
// An answer to a question of another replica names no decision of this log; what came
// of one, or anything else, does.
func TestAnswerToAnotherReplica(t *testing.T) {
	t.Parallel()
	asked := &Approval{ID: "Q", Asked: &Elsewhere{Replica: "a", Record: "x"}}
	for name, row := range map[string]struct {
		rec  Record
		want bool
	}{
		"an answer":                {Record{Event: EventApproval, Answer: "accepted", Approval: asked}, true},
		"without the other's name": {Record{Event: EventApproval, Answer: "accepted", Approval: &Approval{ID: "Q"}}, false},
		"what came of it":          {Record{Event: EventApproval, Answer: "accepted", Approval: asked, Verdict: &Verdict{Effect: "allow"}}, false},
		"of a decision here":       {Record{Event: EventApproval, Decision: "none", Answer: "accepted", Approval: asked}, false},
		"an end":                   {Record{Event: EventEnd, Approval: asked}, false},
		"in words":                 {Record{Event: EventApproval, Answer: `,"asked":{"replica":"`}, false},
	} {
		dir := t.TempDir()
		_, err := openLog(t, Options{Dir: dir}).Append(t.Context(), row.rec)
		check(t, err)
		if r := mustVerify(t, dir); r.OK() != row.want {
			t.Errorf("%s: %v", name, r.Problems)
		}
	}
}

// every place of the cut.
func TestEveryCutTailIsFound(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir, MaxBytes: 16 << 10})
	appendN(t, l, 60)
	log := readLog(t, dir)
	trust := Trust{Checkpoints: []Checkpoint{log.head}}
	cuts := 0
	for len(log.names) > 0 {
		name := log.names[len(log.names)-1]
		path := filepath.Join(dir, name)
		lines := log.lines[name]
		for keep := len(lines) - 1; keep >= 0; keep-- {
			whole := bytes.Join(lines[:keep], nil)
			for _, b := range [][]byte{append(bytes.Clone(whole), lines[keep][:len(lines[keep])/2]...), whole} {
				check(t, os.WriteFile(path, b, 0o600))
				r, err := VerifyAgainst(dir, trust)
				check(t, err)
				if r.OK() {
					t.Fatalf("%s cut to %d bytes: the log verifies", name, len(b))
				}
				cuts++
			}
		}
		check(t, os.Remove(path))
		if r, err := VerifyAgainst(dir, trust); err != nil || r.OK() {
			t.Fatalf("%s removed: the log verifies, %v", name, err)
		}
		log.names = log.names[:len(log.names)-1]
	}
	if cuts < 120 {
		t.Errorf("only %d cuts tried", cuts)
	}
}

func TestRemovedSegmentIsFound(t *testing.T) {
	for remove := range 4 {
		t.Run(fmt.Sprint(remove), func(t *testing.T) {
			dir := t.TempDir()
			l := openLog(t, Options{Dir: dir, MaxBytes: 8 << 10})
			appendN(t, l, 40)
			names, err := segments(dir)
			check(t, err)
			if len(names) < 4 {
				t.Fatalf("only %d segments", len(names))
			}
			if remove == 3 {
				remove = len(names) - 1
			}
			check(t, os.Remove(filepath.Join(dir, names[remove])))
			if r := mustVerify(t, dir); r.OK() {
				t.Errorf("%s removed, and the log verifies", names[remove])
			}
		})
	}
}

func TestRunWithoutDecisionIsFound(t *testing.T) {
	tests := map[string]func(t *testing.T, l *Log) Record{
		"of nothing": func(*testing.T, *Log) Record { return Record{Event: EventEnd} },
		"of an unknown decision": func(*testing.T, *Log) Record {
			return Record{Event: EventEnd, Decision: "0190b3b0-0000-7000-8000-000000000000"}
		},
		"of a denied decision": func(t *testing.T, l *Log) Record {
			return Record{Event: EventEnd, Decision: appendN(t, l, 1)[0].ID}
		},
		"second end": func(t *testing.T, l *Log) Record {
			rec, err := l.Append(t.Context(), allowed(1))
			check(t, err)
			_, err = l.Append(t.Context(), Record{Event: EventEnd, Decision: rec.ID})
			check(t, err)
			return Record{Event: EventEnd, Decision: rec.ID}
		},
	}
	for name, next := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			l := openLog(t, Options{Dir: dir})
			appendN(t, l, 1)
			rec := next(t, l)
			if r := mustVerify(t, dir); !r.OK() {
				t.Fatalf("problems before: %v", r.Problems)
			}
			_, err := l.Append(t.Context(), rec)
			check(t, err)
			if r := mustVerify(t, dir); r.Found != 1 {
				t.Errorf("problems %v, want one", r.Problems)
			}
		})
	}
}

// A log that is being written verifies at any moment.
func TestVerifyWhileItGrows(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir, MaxBytes: 64 << 10})
	appendN(t, l, 1)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	// Also when this test fails: before its directory is taken away.
	t.Cleanup(func() { close(stop); wg.Wait() })
	wg.Go(func() {
		long := decision(1)
		long.Source.Code = strings.Repeat("x = 1\n", 2000)
		for range 4000 { // where syncing costs nothing, it would outgrow every reader
			select {
			case <-stop:
				return
			default:
				if _, err := l.Append(context.Background(), long); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	for range 25 {
		if r := mustVerify(t, dir); !r.OK() || len(r.Torn) > 0 {
			t.Errorf("Verify() = torn %v, problems %v", r.Torn, r.Problems)
			break
		}
	}
}
