package pool

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sallyport/internal/golden"
)

// What docs/scale.md says is worked out here, from what was measured, and held
// against this very pool.

var (
	arrivals = flag.String("arrivals", "", "a directory of audit logs whose calls TestArrivals makes again")
	replicas = flag.Int("replicas", 1, "that these calls go to, each to the next")
)

// What was measured, of a program of one line; docs/scale.md says where.
const (
	coreSeconds = 2 / 12.1               // of processor a run, with the start of its sandbox
	start       = 165 * time.Millisecond // of a sandbox, on a core that does nothing else
	pause       = 30 * time.Millisecond  // before it, as the backend gvisor asks
	recordBytes = 3012                   // in the log, of a run's two records
	syncs       = 2                      // of the log, for a run that is alone
	replicaGiB  = 2.5                    // the chart's limit
	chartWaits  = 6                      // of 40 MB, in the chart's 256Mi
	enough      = 0.01                   // of calls may find no sandbox waiting
)

// List prices in dollars, of docs/scale.md's sources.
const (
	vcpuHour, gibHour = 0.04048, 0.004445 // AWS Fargate
	e2bCPU, e2bGiB    = 0.000014, 0.0000045
	modalCore         = 3 * 0.0000131 // a second of a core, which is two vCPUs
	modalGiB          = 0.00000222
	vercelCPU         = 0.128 / 3600 // a second of use
	vercelGB          = 0.0212 / 3600
	vercelCreation    = 0.60 / 1e6
)

// none is the share of calls that find no sandbox waiting, where calls come at
// random, each sandbox takes the same time to start, and one starts after the
// other: what is missing is the queue M/D/1 with so many places, and one more for
// a call that waits for the sandbox on its way.
func none(rate float64, refill time.Duration, waiting, more int) float64 {
	load, places := rate*refill.Seconds(), waiting+more
	come := make([]float64, places+1) // that so many calls come while one starts
	come[0] = math.Exp(-load)
	for i := 1; i < len(come); i++ {
		come[i] = come[i-1] * load / float64(i)
	}
	left, sum := make([]float64, places), 1.0 // that one started leaves so many missing
	left[0] = 1
	for j := range places - 1 {
		next := left[j] - come[j]*left[0]
		for i := 1; i <= j; i++ {
			next -= left[i] * come[j-i+1]
		}
		left[j+1] = next / come[0]
		sum += left[j+1]
	}
	some := left[0]/sum + load
	full := 1 - 1/some
	if more > 0 {
		full += left[places-1] / sum / some
	}
	return max(full, 0)
}

// safe is none at its worst: a pause before every start, and calls that wait.
func safe(rate float64, waiting int) float64 { return none(rate, start+pause, waiting, 1) }

// most is how many calls a second a replica of one core takes, so that enough find
// a sandbox waiting.
func most(waiting int) float64 {
	low, high := 0.0, 1/start.Seconds()
	for range 50 {
		if mid := (low + high) / 2; safe(mid, waiting) <= enough {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// idle is a sandbox of which nothing matters but that it is there.
type idle struct{}

func (idle) Healthy() bool { return true }
func (idle) Close() error  { return nil }

// played is what became of calls: without a sandbox that waited, and without one
// that was on its way either.
type played struct{ none, cold float64 }

// play makes calls at the given times of a pool, in time that costs nothing.
func play(t *testing.T, at []time.Duration, o Options[idle]) (p played) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o.Kinds = 1
		o.Start = func(ctx context.Context, _ string) (idle, error) {
			select {
			case <-time.After(start):
			case <-ctx.Done():
			}
			return idle{}, ctx.Err()
		}
		pool := New(o)
		if err := pool.Wait(t.Context(), "python"); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		var wg sync.WaitGroup
		var mu sync.Mutex
		for _, when := range at {
			time.Sleep(time.Until(began.Add(when)))
			wg.Go(func() {
				asked := time.Now()
				_, ok := pool.Take(context.Background(), "python")
				mu.Lock()
				defer mu.Unlock()
				if !ok {
					p.cold++
				}
				if !ok || time.Since(asked) > 0 {
					p.none++
				}
			})
		}
		wg.Wait()
		if err := pool.Close(); err != nil {
			t.Fatal(err)
		}
	})
	p.none /= float64(len(at))
	p.cold /= float64(len(at))
	return p
}

// random are calls at so many a second, each without regard to the others.
func random(rate float64, n int) []time.Duration {
	r := rand.New(rand.NewPCG(1, 2))
	at, now := make([]time.Duration, n), 0.0
	for i := range at {
		now += r.ExpFloat64() / rate
		at[i] = time.Duration(now * float64(time.Second))
	}
	return at
}

// TestModel holds the model against the pool itself, which pauses at times, and has
// some calls wait and others start a sandbox of their own.
func TestModel(t *testing.T) {
	const of = 0.01
	for _, rate := range []float64{1, 2, 3, 4, 5} {
		for _, waiting := range []int{1, 2, 4, 6, 12} {
			got := play(t, random(rate, 40_000), Options[idle]{PerKind: waiting, Pause: pause}).none
			low, high := none(rate, start, waiting, 0), safe(rate, waiting)
			if got < low-of || got > high+of {
				t.Errorf("%v calls a second, %d waiting: %.4f found none, and the model says %.4f to %.4f", rate, waiting, got, low, high)
			}
		}
	}
}

// TestArrivals makes the calls of audit logs again, at their times, and says how
// many would have found no sandbox waiting: make scale LOG=directory REPLICAS=4.
func TestArrivals(t *testing.T) {
	dir := *arrivals
	if dir == "" {
		dir = "../../../testdata/golden/log"
	}
	at := recorded(t, dir)
	if len(at) == 0 {
		t.Fatalf("%s has no record of a decision", dir)
	}
	rate := float64(len(at)) / max(at[len(at)-1].Seconds(), 1) / float64(*replicas)
	t.Logf("%d calls, %.2f a second to each replica", len(at), rate)
	var own []time.Duration // of one replica
	for i := 0; i < len(at); i += *replicas {
		own = append(own, at[i])
	}
	at = own
	t.Log("waiting   none waits: as recorded   at random, by the model   cold, as recorded")
	for _, waiting := range []int{1, 2, 4, 6, 8, 12} {
		p := play(t, at, Options[idle]{PerKind: waiting, Pause: pause})
		t.Logf("%7d   %22.2f %%   %22.2f %%   %15.2f %%", waiting, 100*p.none, 100*safe(rate, waiting), 100*p.cold)
	}
	p := play(t, at, Options[idle]{PerKind: 1, Most: 12, Pause: pause})
	t.Logf("1 to 12   %22.2f %%   %24s   %15.2f %%", 100*p.none, "", 100*p.cold)
}

// recorded are the times of the decisions of logs, from the first one.
func recorded(t *testing.T, dir string) []time.Duration {
	t.Helper()
	var times []time.Time
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".jsonl" {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close() //nolint:errcheck // read only
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var r struct {
				Event string
				Time  time.Time
			}
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if r.Event == "decision" {
				times = append(times, r.Time)
			}
		}
		return lines.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(times, time.Time.Compare)
	at := make([]time.Duration, len(times))
	for i, when := range times {
		at[i] = when.Sub(times[0])
	}
	return at
}

// TestScale holds the tables of docs/scale.md against the model: nobody types
// them.
func TestScale(t *testing.T) {
	const page = "../../../docs/scale.md"
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := string(b)
	for name, table := range map[string]string{"capacity": capacity(), "waiting": waiting(), "cost": cost()} {
		begin, end := "<!-- "+name+", by TestScale -->\n", "<!-- end of "+name+" -->"
		before, rest, ok := strings.Cut(want, begin)
		_, after, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no place for the table %s", page, name)
		}
		want = before + begin + table + end + after
	}
	golden.Hold(t, page, want)
}

func capacity() string {
	var s strings.Builder
	s.WriteString("| calls a second | replicas of one core | memory | waiting sandboxes | log a day | syncs of the log a second |\n|---|---|---|---|---|---|\n")
	for _, rate := range []float64{10, 1_000, 100_000} {
		n := math.Ceil(rate / most(chartWaits))
		fmt.Fprintf(&s, "| %s | %s | %s GiB | %s | %s GB | %s |\n", count(rate), count(n), count(math.Ceil(n*replicaGiB)), count(n*chartWaits),
			count(math.Round(rate*recordBytes*86400/1e9)), count(rate*syncs))
	}
	return s.String()
}

func waiting() string {
	var s strings.Builder
	sizes := []int{1, 2, 4, 6, 12}
	s.WriteString("| calls a second to one replica |")
	for _, n := range sizes {
		fmt.Fprintf(&s, " %d waiting |", n)
	}
	s.WriteString("\n|---|" + strings.Repeat("---|", len(sizes)) + "\n")
	for _, rate := range []float64{0.5, 1, 2, 3, 4, 5} {
		fmt.Fprintf(&s, "| %v |", rate)
		for _, n := range sizes {
			fmt.Fprintf(&s, " %.1f %% |", 100*safe(rate, n))
		}
		s.WriteString("\n")
	}
	s.WriteString("| **at most 1 % at** |")
	for _, n := range sizes {
		fmt.Fprintf(&s, " **%.1f a second** |", most(n))
	}
	s.WriteString("\n")
	return s.String()
}

// cost is of a million programs, each with a sandbox of its own.
func cost() string {
	hour := vcpuHour + replicaGiB*gibHour // of a replica
	own := func(busy float64) float64 {   // a core is no busier than with programs of one line
		used := most(chartWaits) * coreSeconds
		return 1e6 * (coreSeconds + busy) / used * hour / 3600
	}
	hosted := func(alive, busy float64) [3]float64 {
		return [3]float64{
			1e6 * alive * (e2bCPU + e2bGiB),
			1e6 * alive * (modalCore/2 + modalGiB),
			1e6 * (alive*2*vercelGB + busy*vercelCPU + vercelCreation),
		}
	}
	var s strings.Builder
	s.WriteString("| each program | sallyport, on your nodes | E2B, Daytona | Modal | Vercel |\n|---|---|---|---|---|\n")
	for _, row := range []struct {
		what        string
		alive, busy float64
	}{
		{"is one line; a hosted sandbox lives for 1 s", 1, coreSeconds},
		{"computes for 1 s; a hosted sandbox lives for 2 s", 2, 1},
		{"computes for 10 s; a hosted sandbox lives for 11 s", 11, 10},
	} {
		own, h := own(row.busy), hosted(row.alive, row.busy)
		if row.alive == 1 {
			own = 1e6 / most(chartWaits) * hour / 3600
		}
		fmt.Fprintf(&s, "| %s | $%.0f | $%.0f | $%.0f | $%.0f |\n", row.what, own, h[0], h[1], h[2])
	}
	return s.String()
}

// count writes a number with its thousands apart.
func count(n float64) string {
	s := fmt.Sprintf("%.0f", n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
