package telemetry

import (
	"slices"
	"strings"
	"sync"
)

type kind int

const (
	counter kind = iota + 1
	gauge
	histogram
)

// instrument describes one metric. Its OTLP name is Prometheus's with dots.
type instrument struct {
	name string // without unit
	kind kind
	unit string // "s" or "1"
	help string
}

// The metrics. Counters and histograms are cumulative since the start of the
// process, so that an export that is lost is made good by the next.
var (
	requests     = instrument{"sallyport.requests", counter, "1", "Programs that were judged."}
	denials      = instrument{"sallyport.denials", counter, "1", "Denials by the rule that denied; one program may meet several."}
	runs         = instrument{"sallyport.runs", counter, "1", "Runs by why they ended."}
	stops        = instrument{"sallyport.stops", counter, "1", "Runs that policy ended, by what the program did."}
	starts       = instrument{"sallyport.sandbox.starts", counter, "1", "Sandboxes handed to a run: started for it (cold) or waiting (warm)."}
	failures     = instrument{"sallyport.failures", counter, "1", "Requests that sallyport itself could not serve, by step."}
	exchanges    = instrument{"sallyport.egress.requests", counter, "1", "Requests of programs to hosts, by the rule that lets them through and what came of them."}
	exchanged    = instrument{"sallyport.egress.bytes", counter, "1", "Bytes of bodies that programs sent to hosts and received."}
	exchanging   = instrument{"sallyport.egress.duration", histogram, "s", "Time from a request of a program to the end of its answer."}
	dropped      = instrument{"sallyport.telemetry.dropped", counter, "1", "Exports and requests of telemetry itself that were lost."}
	judging      = instrument{"sallyport.decision.duration", histogram, "s", "Time to canonicalise, parse and decide."}
	recording    = instrument{"sallyport.audit.duration", histogram, "s", "Time until a record was on disk."}
	approving    = instrument{"sallyport.approval.duration", histogram, "s", "Time until a person answered."}
	running      = instrument{"sallyport.run.duration", histogram, "s", "Time in the sandbox, from start to gone."}
	queueWait    = instrument{"sallyport.queue.wait", histogram, "s", "Time that a call waited for its turn."}
	queueWaiting = instrument{"sallyport.queue.waiting", gauge, "1", "Calls that wait for their turn."}
	queueRefused = instrument{"sallyport.queue.refused", counter, "1", "Calls that were refused because a queue was full, a quota used up, or what replicas share away."}
	answers      = instrument{"sallyport.http.answers", counter, "1", "Answers of the service over HTTP, by what was asked for and their status."}
	queueRunning = instrument{"sallyport.queue.running", gauge, "1", "Calls that are being served."}
)

// bounds of the buckets of every histogram, in seconds: from a warm decision
// to the longest run that anybody allows.
var bounds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}

// maxSeries bounds the combinations of labels of one metric: rules are the
// operator's to name, memory is ours to keep.
const maxSeries = 500

type label struct{ key, value string }

// series is one metric for one combination of labels.
type series struct {
	instrument
	labels []label
	value  float64  // of a counter or gauge
	counts []uint64 // by bucket, the last one without bound
	sum    float64
	count  uint64
}

// registry holds what was counted.
type registry struct {
	mu     sync.Mutex // guards the fields below
	series map[string]*series
	number map[string]int // of series, by metric
}

func newRegistry() *registry {
	return &registry{series: map[string]*series{}, number: map[string]int{}}
}

func (m *registry) add(i instrument, n float64, labels ...label) {
	m.with(i, labels, func(s *series) { s.value += n })
}

func (m *registry) set(i instrument, v float64, labels ...label) {
	m.with(i, labels, func(s *series) { s.value = v })
}

func (m *registry) observe(i instrument, v float64, labels ...label) {
	m.with(i, labels, func(s *series) {
		n, _ := slices.BinarySearch(bounds, v)
		s.counts[n]++
		s.count++
		s.sum += v
	})
}

// with finds or makes a series. One too many counts as that of "other".
func (m *registry) with(i instrument, labels []label, update func(*series)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := keyOf(i, labels)
	s := m.series[key]
	if s == nil && m.number[i.name] >= maxSeries {
		labels = slices.Clone(labels)
		for n := range labels {
			labels[n].value = "other"
		}
		key = keyOf(i, labels)
		s = m.series[key]
	}
	if s == nil {
		s = &series{instrument: i, labels: slices.Clone(labels)}
		if i.kind == histogram {
			s.counts = make([]uint64, len(bounds)+1)
		}
		m.series[key] = s
		m.number[i.name]++
	}
	update(s)
}

func keyOf(i instrument, labels []label) string {
	var b strings.Builder
	b.WriteString(i.name)
	for _, l := range labels {
		b.WriteString("\x00" + l.key + "\x00" + l.value)
	}
	return b.String()
}

// snapshot copies what was counted, in a stable order.
func (m *registry) snapshot() []series {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := make([]string, 0, len(m.series))
	for k := range m.series {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	out := make([]series, len(keys))
	for n, k := range keys {
		out[n] = *m.series[k]
		out[n].counts = slices.Clone(out[n].counts)
	}
	return out
}
