package audit

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"
)

// BenchmarkAppend reports the median of one durable write, alone and with
// seven others waiting for the same disk.
func BenchmarkAppend(b *testing.B) {
	for name, workers := range map[string]int{"1": 1, "8": 8} {
		b.Run(name, func(b *testing.B) {
			l := openLog(b, Options{Dir: b.TempDir()})
			times := make([][]time.Duration, workers)
			b.ResetTimer()
			var wg sync.WaitGroup
			for w := range workers {
				wg.Go(func() {
					for i := range (b.N + workers - 1) / workers {
						start := time.Now()
						if _, err := l.Append(context.Background(), decision(i)); err != nil {
							b.Error(err)
							return
						}
						times[w] = append(times[w], time.Since(start))
					}
				})
			}
			wg.Wait()
			all := slices.Concat(times...)
			slices.Sort(all)
			b.ReportMetric(float64(all[len(all)/2].Microseconds()), "p50-us")
		})
	}
}

func BenchmarkVerify(b *testing.B) {
	dir := b.TempDir()
	const records = 50_000
	fastLog(b, dir, records)
	b.ResetTimer()
	for range b.N {
		if r := mustVerify(b, dir); !r.OK() || r.Records < records {
			b.Fatalf("Verify() = %d records, problems %v", r.Records, r.Problems)
		}
	}
	b.ReportMetric(float64(records)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// fastLog makes a log of n records.
func fastLog(tb testing.TB, dir string, n int) {
	tb.Helper()
	l := openLog(tb, Options{Dir: dir})
	fillLog(tb, l, n, decision)
	check(tb, l.Close())
}

// fillLog adds n records by way of the batch path, so that a large log does
// not take a large number of fsyncs.
func fillLog(tb testing.TB, l *Log, n int, next func(int) Record) {
	tb.Helper()
	for done := 0; done < n; {
		batch := make([]*pending, min(100, n-done))
		for i := range batch {
			batch[i] = &pending{rec: next(done + i)}
		}
		l.mu.Lock()
		l.commit(tb.Context(), batch)
		l.mu.Unlock()
		check(tb, batch[0].err)
		done += len(batch)
	}
}
