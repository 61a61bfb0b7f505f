package audit

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkAppendParallel reports the median of one durable write and what
// part of an fsync it pays for, alone and with seven others beside it.
func BenchmarkAppendParallel(b *testing.B) {
	for _, workers := range []int{1, 8} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			l := openLog(b, Options{Dir: b.TempDir()})
			syncs := countSyncs(l)
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
			b.ReportMetric(float64(syncs.Load())/float64(len(all)), "fsyncs/record")
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

// countSyncs counts the fsyncs of a log that nobody uses yet.
func countSyncs(l *Log) *atomic.Int64 {
	var n atomic.Int64
	l.sync = func(f *os.File) error {
		n.Add(1)
		return f.Sync()
	}
	return &n
}
