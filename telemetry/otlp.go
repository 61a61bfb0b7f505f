package telemetry

import (
	"maps"
	"slices"
	"time"

	metricspb "go.opentelemetry.io/proto/slim/otlp/collector/metrics/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	metric "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/slim/otlp/trace/v1"
)

func text(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

func texts(key string, values []string) *common.KeyValue {
	a := &common.ArrayValue{}
	for _, v := range values {
		a.Values = append(a.Values, &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: v}})
	}
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: a}}}
}

// resource describes this process. It names neither the user nor the machine:
// the operator adds that where it is wanted.
func (i identity) resource() *resource.Resource {
	r := &resource.Resource{}
	all := map[string]string{"service.name": "sallyport", "service.version": i.version, "service.instance.id": i.instance}
	maps.Copy(all, i.extra)
	for _, k := range slices.Sorted(maps.Keys(all)) {
		r.Attributes = append(r.Attributes, text(k, all[k]))
	}
	return r
}

func (i identity) scope() *common.InstrumentationScope {
	return &common.InstrumentationScope{Name: "sallyport", Version: i.version}
}

func (i identity) traces(batch []Request) *tracepb.ExportTraceServiceRequest {
	spans := &trace.ScopeSpans{Scope: i.scope()}
	for _, r := range batch {
		spans.Spans = append(spans.Spans, r.spans()...)
	}
	return &tracepb.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{
		Resource: i.resource(), ScopeSpans: []*trace.ScopeSpans{spans},
	}}}
}

// spans are those of one request: the whole of it, and its steps below.
func (r Request) spans() []*trace.Span {
	if len(r.Steps) == 0 {
		return nil
	}
	id, last := random(16), r.Steps[len(r.Steps)-1]
	root := &trace.Span{
		TraceId: id, SpanId: random(8), Name: "sallyport.request", Kind: trace.Span_SPAN_KIND_SERVER,
		StartTimeUnixNano: nanos(r.Steps[0].Start),
		EndTimeUnixNano:   nanos(last.Start.Add(last.Took)),
		Attributes:        r.attributes(),
		Status:            &trace.Status{},
	}
	if r.Failed != "" {
		root.Status = &trace.Status{Code: trace.Status_STATUS_CODE_ERROR, Message: "failed at " + string(r.Failed)}
	}
	all := []*trace.Span{root}
	for _, s := range r.Steps {
		all = append(all, &trace.Span{
			TraceId: id, SpanId: random(8), ParentSpanId: root.SpanId,
			Name: "sallyport." + string(s.Step), Kind: trace.Span_SPAN_KIND_INTERNAL,
			StartTimeUnixNano: nanos(s.Start), EndTimeUnixNano: nanos(s.Start.Add(s.Took)),
			Status: &trace.Status{},
		})
	}
	return all
}

func (r Request) attributes() []*common.KeyValue {
	var out []*common.KeyValue
	for _, l := range []label{
		{"sallyport.decision.id", r.Decision}, {"sallyport.tool", r.Tool}, {"sallyport.language", r.Language},
		{"sallyport.effect", r.Effect}, {"sallyport.reason", r.Reason},
		{"sallyport.backend", r.Backend}, {"sallyport.run.reason", r.Ended},
		{"sallyport.run.capability", r.Stopped.Capability}, {"sallyport.run.event", r.Stopped.Event}, {"sallyport.sandbox.start", r.Start},
	} {
		if l.value != "" {
			out = append(out, text(l.key, l.value))
		}
	}
	if len(r.Denied) > 0 {
		out = append(out, texts("sallyport.denied_by", r.Denied))
	}
	return out
}

func nanos(t time.Time) uint64 { return uint64(t.UnixNano()) }

func (i identity) metrics(all []series, now time.Time) *metricspb.ExportMetricsServiceRequest {
	scope := &metric.ScopeMetrics{Scope: i.scope()}
	for n := 0; n < len(all); {
		same := n + 1
		for same < len(all) && all[same].name == all[n].name {
			same++
		}
		scope.Metrics = append(scope.Metrics, i.metric(all[n:same], now))
		n = same
	}
	return &metricspb.ExportMetricsServiceRequest{ResourceMetrics: []*metric.ResourceMetrics{{
		Resource: i.resource(), ScopeMetrics: []*metric.ScopeMetrics{scope},
	}}}
}

// metric is what was counted under one name.
func (i identity) metric(all []series, now time.Time) *metric.Metric {
	m := &metric.Metric{Name: all[0].name, Description: all[0].help, Unit: all[0].unit}
	const cumulative = metric.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
	if all[0].kind == histogram {
		h := &metric.Histogram{AggregationTemporality: cumulative}
		for _, s := range all {
			h.DataPoints = append(h.DataPoints, &metric.HistogramDataPoint{
				Attributes: s.attributes(), StartTimeUnixNano: nanos(i.started), TimeUnixNano: nanos(now),
				Count: s.count, Sum: &s.sum, BucketCounts: s.counts, ExplicitBounds: bounds,
			})
		}
		m.Data = &metric.Metric_Histogram{Histogram: h}
		return m
	}
	var points []*metric.NumberDataPoint
	for _, s := range all {
		points = append(points, &metric.NumberDataPoint{
			Attributes: s.attributes(), StartTimeUnixNano: nanos(i.started), TimeUnixNano: nanos(now),
			Value: &metric.NumberDataPoint_AsInt{AsInt: int64(s.value)},
		})
	}
	if all[0].kind == gauge {
		m.Data = &metric.Metric_Gauge{Gauge: &metric.Gauge{DataPoints: points}}
	} else {
		m.Data = &metric.Metric_Sum{Sum: &metric.Sum{DataPoints: points, IsMonotonic: true, AggregationTemporality: cumulative}}
	}
	return m
}

func (s series) attributes() []*common.KeyValue {
	var out []*common.KeyValue
	for _, l := range s.labels {
		if l.value != "" {
			out = append(out, text("sallyport."+l.key, l.value))
		}
	}
	return out
}
