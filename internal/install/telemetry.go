package install

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"sallyport/config"
	"sallyport/internal/hint"
	"sallyport/telemetry"
)

// lastExport bounds how long the last export may hold up the end of a verb.
const lastExport = time.Second

// startTelemetry starts the telemetry that is configured; nil for none. Only a
// server, which stays, can be scraped.
func (s *Setup) startTelemetry() (*telemetry.Telemetry, error) {
	opts, err := telemetryOptions(s.Config.Telemetry, s.opts)
	if err != nil {
		return nil, s.places().at("telemetry", err)
	}
	if !s.opts.Serves {
		opts.Prometheus = ""
	}
	opts.Log = s.tell.Warn
	t, err := telemetry.New(opts)
	if err != nil {
		return nil, fmt.Errorf("telemetry in sallyport.yaml: %w", err)
	}
	if at := t.Address(); at != "" {
		s.tell.Say("metrics for Prometheus at http://%s/metrics", at)
	}
	return t, nil
}

func endTelemetry(t *telemetry.Telemetry) error {
	ctx, cancel := context.WithTimeout(context.Background(), lastExport)
	defer cancel()
	return t.Close(ctx)
}

// telemetryOptions reads what the configuration names. Variables of the
// environment count only where it says so, and only for what it leaves open.
func telemetryOptions(cfg config.Telemetry, said Options) (telemetry.Options, error) {
	o := cfg.OTLP
	opts := telemetry.Options{
		Version:    said.Version,
		Prometheus: cfg.Prometheus.Listen,
		Counts:     said.Counts,
		OTLP: telemetry.OTLP{
			Endpoint: o.Endpoint, Protocol: o.Protocol, Resource: o.Resource,
			Timeout: time.Duration(o.Timeout), Interval: time.Duration(o.Interval),
		},
	}
	if o.Environment {
		if err := otelEnvironment(said.Env, &opts.OTLP, &o.CA); err != nil {
			return opts, err
		}
	}
	if o.HeadersFile != "" {
		headers, err := readHeaders(o.HeadersFile)
		if err != nil {
			return opts, hint.While(err, "telemetry.otlp.headers_file")
		}
		opts.OTLP.Headers = headers
	}
	if o.CA != "" {
		var err error
		if opts.OTLP.CA, err = readBounded(o.CA); err != nil {
			return opts, hint.While(err, "telemetry.otlp.ca")
		}
	}
	if err := opts.Validate(); err != nil {
		return opts, fmt.Errorf("telemetry in sallyport.yaml: %w", err)
	}
	return opts, nil
}

// otelEnvironment fills what the configuration leaves open from the standard
// variables of OpenTelemetry.
func otelEnvironment(env lookup, o *telemetry.OTLP, ca *string) error {
	get := func(name string) string { v, _ := env(name); return v }
	if get("OTEL_SDK_DISABLED") == "true" {
		o.Endpoint = ""
		return nil
	}
	o.Endpoint = cmp.Or(o.Endpoint, get("OTEL_EXPORTER_OTLP_ENDPOINT"))
	o.Protocol = cmp.Or(o.Protocol, get("OTEL_EXPORTER_OTLP_PROTOCOL"))
	*ca = cmp.Or(*ca, get("OTEL_EXPORTER_OTLP_CERTIFICATE"))
	var err error
	if o.Headers, err = pairs("OTEL_EXPORTER_OTLP_HEADERS", get("OTEL_EXPORTER_OTLP_HEADERS")); err != nil {
		return err
	}
	resource, err := pairs("OTEL_RESOURCE_ATTRIBUTES", get("OTEL_RESOURCE_ATTRIBUTES"))
	if err != nil {
		return err
	}
	if name := get("OTEL_SERVICE_NAME"); name != "" {
		resource["service.name"] = name
	}
	maps.Copy(resource, o.Resource)
	o.Resource = resource
	for _, d := range []struct {
		name string
		to   *time.Duration
	}{{"OTEL_EXPORTER_OTLP_TIMEOUT", &o.Timeout}, {"OTEL_METRIC_EXPORT_INTERVAL", &o.Interval}} {
		v := get(d.name)
		if v == "" || *d.to != 0 {
			continue
		}
		ms, err := strconv.ParseUint(v, 10, 31)
		if err != nil {
			return hint.Usage("%s: %q is not a number of milliseconds", d.name, v)
		}
		*d.to = time.Duration(ms) * time.Millisecond
	}
	return nil
}

// pairs reads a list such as a=1,b=2 with values as in a URL. Its errors do
// not show values, which may be secrets.
func pairs(name, list string) (map[string]string, error) {
	out := map[string]string{}
	for part := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		k, v, ok := strings.Cut(part, "=")
		v, err := url.PathUnescape(strings.TrimSpace(v))
		if k = strings.TrimSpace(k); !ok || err != nil || k == "" {
			return nil, hint.Usage("%s is not a list such as a=1,b=2", name)
		}
		out[k] = v
	}
	return out, nil
}

// readHeaders reads lines "Name: value". They are secrets, so the file must be
// the user's alone; errors do not show values.
func readHeaders(path string) (map[string]string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if st.Mode().Perm()&0o077 != 0 {
		return nil, hint.With(fmt.Errorf("%s can be read or written by others (mode %04o)", path, st.Mode().Perm()), "chmod 600 %s", path)
	}
	b, err := readBounded(path)
	if err != nil {
		return nil, err
	}
	out, number := map[string]string{}, 0
	for line := range strings.Lines(string(b)) {
		number++
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || name == "" || strings.ContainsAny(name, " \t") {
			return nil, fmt.Errorf("%s: line %d is not of the form Name: value", path, number)
		}
		out[name] = strings.TrimSpace(value)
	}
	return out, nil
}
