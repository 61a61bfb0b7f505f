package audit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
)

// helperEnv makes the test binary be one of the helper programs instead.
const helperEnv = "AUDIT_TEST_HELPER"

func TestMain(m *testing.M) {
	switch os.Getenv(helperEnv) {
	case "":
		os.Exit(m.Run())
	case "gate":
		os.Exit(helperGate(os.Args[1], os.Args[2], os.Args[3]))
	case "limited":
		os.Exit(helperLimited(os.Args[1]))
	case "once":
		os.Exit(helperOnce(os.Args[1]))
	}
	os.Exit(2)
}

func helper(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), helperEnv+"="+name)
	return cmd
}

// helperGate acts as a gate would: a decision, then the run, then its end. The
// run is one line in the journal: it happens only after the decision was
// recorded.
func helperGate(dir, journal, count string) int {
	n, err := strconv.Atoi(count)
	if err != nil {
		return 2
	}
	runs, err := os.OpenFile(journal, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return 2
	}
	l, err := Open(Options{Dir: dir, MaxBytes: 512 << 10, LockTimeout: patient})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx := context.Background()
	for i := range n {
		rec := allowed(i)
		if i%50 == 0 { // long enough that a kill can tear it
			rec.Source.Code = strings.Repeat("x = 1\n", 10_000)
		}
		rec, err := l.Append(ctx, rec)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Fprintln(runs, rec.ID)
		if rand.IntN(1000) == 0 {
			return tear(l)
		}
		if _, err := l.Append(ctx, Record{Event: EventEnd, Decision: rec.ID, Run: &Run{Reason: "exited"}}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

// tear dies as a machine does, in the middle of a write.
func tear(l *Log) int {
	err := l.locked(context.Background(), func() error {
		if err := l.tail.catchUp(); err != nil {
			return err
		}
		if l.tail.torn != nil || l.tail.closed {
			return nil // somebody else's turn
		}
		_, line, err := encode(allowed(1), l.tail.last.hash)
		if err != nil {
			return err
		}
		if _, err := l.tail.file.Write(line[:1+rand.IntN(len(line)-1)]); err != nil {
			return err
		}
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			return err
		}
		return self.Kill()
	})
	fmt.Fprintln(os.Stderr, err)
	return 0
}

// Eight processes with one directory, killed at random: whatever ran has its
// decision on record, before it, and the log verifies.
func TestKilledProcessesLeaveAnIntactLog(t *testing.T) {
	const slots, each = 8, 2000
	dir, journals := filepath.Join(t.TempDir(), "audit"), t.TempDir()
	var wg sync.WaitGroup
	var mu sync.Mutex // guards kills
	kills := 0
	for slot := range slots {
		wg.Go(func() {
			journal := filepath.Join(journals, strconv.Itoa(slot))
			for left := each; left > 0; left = each - len(readLines(t, journal)) {
				cmd := helper(t, "gate", dir, journal, strconv.Itoa(left))
				var stderr strings.Builder
				cmd.Stderr = &stderr
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				ended, killer := make(chan struct{}), make(chan struct{})
				go func() { // somewhere behind some more runs, however long they take
					defer close(killer)
					for most := each - left + 1 + rand.IntN(each/4); runsIn(journal) < most; {
						select {
						case <-ended:
							return
						case <-time.After(time.Millisecond):
						}
					}
					cmd.Process.Kill()
				}()
				err := cmd.Wait()
				close(ended)
				<-killer
				var exit *exec.ExitError
				if errors.As(err, &exit) && exit.ExitCode() == -1 {
					mu.Lock()
					kills++
					mu.Unlock()
				} else if err != nil {
					t.Errorf("the helper failed: %v\n%s", err, stderr.String())
					return
				}
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	appendN(t, openLog(t, Options{Dir: dir}), 1)
	r := mustVerify(t, dir)
	if !r.OK() {
		t.Errorf("%d problems: %v", r.Found, r.Problems[:min(5, len(r.Problems))])
	}
	if kills < slots || len(r.Torn) == 0 {
		t.Errorf("only %d processes were killed and %d tails torn", kills, len(r.Torn))
	}
	t.Logf("%d kills, %d records in %d segments, %d torn tails", kills, r.Records, r.Segments, len(r.Torn))

	decided := map[string]bool{}
	names, err := segments(dir)
	check(t, err)
	for _, name := range names {
		for _, line := range readLines(t, filepath.Join(dir, name)) {
			_, rest, _ := strings.Cut(line, `,"id":"`)
			id, rest, _ := strings.Cut(rest, `","event":"`)
			if strings.HasPrefix(rest, string(EventDecision)) {
				decided[id] = true
			}
		}
	}
	for slot := range slots {
		runs := readLines(t, filepath.Join(journals, strconv.Itoa(slot)))
		if len(runs) < each {
			t.Errorf("process %d: %d runs, want %d", slot, len(runs), each)
		}
		for _, id := range runs {
			if !decided[id] {
				t.Errorf("run %s has no decision on record", id)
			}
		}
	}
}

// runsIn counts the runs in a journal: each is the id of a record, and a newline.
func runsIn(journal string) int {
	st, err := os.Stat(journal)
	if err != nil {
		return 0
	}
	return int(st.Size()) / (len(uuid.Nil.String()) + 1)
}

func readLines(t testing.TB, path string) []string {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Error(err)
		return nil
	}
	defer f.Close()
	var lines []string
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Error(err)
			return lines
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
}
