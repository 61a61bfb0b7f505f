package install

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"sallyport/audit"
	"sallyport/config"
	"sallyport/egress"
	"sallyport/gate"
	"sallyport/telemetry"
)

// InForce is what is in force, key by key.
type InForce struct {
	Version  string    `json:"version"`
	File     string    `json:"file"` // the configuration that was read; "" for none
	Settings []Setting `json:"settings"`
}

// Setting is a value in force, and where it comes from.
type Setting struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Source string `json:"source"`          // default, file, environment or flag
	Place  string `json:"place,omitempty"` // FILE:LINE, the variable, or the flag; where it was looked for
}

// Where a value can come from.
const (
	byDefault = "default"
	byFile    = "file"
	byEnv     = "environment"
	byFlag    = "flag"
)

// hidden stands for a value that may be a secret.
const hidden = "(hidden)"

// inForce collects settings.
type inForce struct {
	setup *Setup
	cfg   config.Config      // as it is in force
	said  map[string]Setting // by key, what comes from elsewhere than the file: source and place
}

// InForce returns what flags, variables, the configuration and defaults come to.
// It shows no secret: neither the values of variables that programs get, nor
// passwords and queries in addresses.
func (s *Setup) InForce() InForce {
	f := &inForce{setup: s, cfg: s.Config, said: map[string]Setting{}}
	f.policy()
	f.sandbox()
	f.limits()
	f.audit()
	f.telemetry()
	f.servers()
	raw := map[string]any{}
	leaves("", reflect.ValueOf(s.Config), false, func(key string, v any) { raw[key] = v })
	out := InForce{Version: "config-show/v1", File: s.Config.Path, Settings: []Setting{}}
	leaves("", reflect.ValueOf(f.cfg), false, func(key string, v any) {
		from, said := f.said[key]
		line, written := s.Config.Lines[key]
		switch unset := reflect.ValueOf(v).IsZero(); {
		case said:
		case written && raw[key] == v:
			from = Setting{Source: byFile, Place: fmt.Sprintf("%s:%d", s.Config.Path, line)}
		case unset:
			return
		case raw[key] == v: // a configuration that was made, and not read
			from = Setting{Source: byFile}
		default:
			from = Setting{Source: byDefault}
		}
		out.Settings = append(out.Settings, Setting{Key: key, Value: v, Source: from.Source, Place: from.Place})
	})
	if s.Config.MCP.ShownKB == 0 {
		out.Settings = append(out.Settings, Setting{"mcp.shown_kb", fmt.Sprint(s.Config.MCP.Shown(), " bytes"), byDefault, ""})
	}
	if name := "OTEL_EXPORTER_OTLP_HEADERS"; s.Config.Telemetry.OTLP.Environment && f.env(name) != "" {
		out.Settings = append(out.Settings, Setting{"telemetry.otlp.headers", hidden, byEnv, name})
	}
	return out
}

func (f *inForce) env(name string) string { v, _ := f.setup.opts.Env(name); return v }

func (f *inForce) says(key, source, place string) {
	f.said[key] = Setting{Source: source, Place: place}
}

func (f *inForce) policy() {
	p, o := &f.cfg.Policy, f.setup.opts
	if len(o.Packs) > 0 {
		p.Packs = o.Packs
		for i := range o.Packs {
			f.says(fmt.Sprintf("policy.packs[%d]", i), byFlag, "--pack")
		}
	}
	if len(p.Packs) == 0 {
		p.Packs = []string{"baseline"}
	}
	for _, path := range o.Policies {
		list, key := &p.Bundles, "policy.bundles"
		if st, err := os.Stat(path); err == nil && st.IsDir() {
			list, key = &p.Dirs, "policy.dirs"
		}
		f.says(fmt.Sprintf("%s[%d]", key, len(*list)), byFlag, "--policy")
		*list = append(slices.Clip(*list), path)
	}
	p.Runtime = cmp.Or(p.Runtime, "stop")
}

func (f *inForce) sandbox() {
	b := &f.cfg.Sandbox
	b.Backend = f.setup.BackendName()
	if f.setup.opts.Backend != "" {
		f.says("sandbox.backend", byFlag, "--backend")
	}
	switch b.Backend {
	case "gvisor":
		if path, where, err := f.setup.FindRunsc(); err == nil && where != "configured" {
			b.Runsc = path
			source, place := byDefault, where
			if where == "on PATH" {
				source, place = byEnv, "PATH"
			}
			f.says("sandbox.runsc", source, place)
		}
	case "docker", "podman":
		name := map[string]string{"docker": "DOCKER_HOST", "podman": "CONTAINER_HOST"}[b.Backend]
		if v := f.env(name); v != "" && b.Engine.Host == "" && (b.Engine.Context == "" || b.Backend == "podman") {
			b.Engine.Host = v
			f.says("sandbox.engine.host", byEnv, name)
		}
		b.Engine.Images = engineImages(b.Engine)
	}
}

func (f *inForce) limits() {
	l := Ceilings(f.cfg.Limits).WithDefaults()
	f.cfg.Limits = config.Limits{
		Timeout: config.Duration(l.Wall), CPU: config.Duration(l.CPU), MemoryMB: l.Memory >> 20, Pids: l.Pids, OutputKB: l.OutputBytes >> 10,
		FileMB: l.FileBytes >> 20, DiskMB: l.DiskBytes >> 20, Artifacts: l.ArtifactCount, ArtifactsMB: l.ArtifactBytes >> 20,
	}
	f.cfg.Environments = maps.Clone(f.cfg.Environments)
	for name, e := range f.cfg.Environments {
		if e.Egress == nil {
			continue
		}
		out := *e.Egress
		l := egress.Limits{Requests: out.Limits.Requests, Connections: out.Limits.Connections, Sent: out.Limits.SentMB << 20, Received: out.Limits.ReceivedMB << 20}.WithDefaults()
		out.Limits = config.EgressLimits{Requests: l.Requests, Connections: l.Connections, SentMB: l.Sent >> 20, ReceivedMB: l.Received >> 20}
		e.Egress = &out
		f.cfg.Environments[name] = e
	}
}

func (f *inForce) audit() {
	a := &f.cfg.Audit
	a.KeepCode = cmp.Or(a.KeepCode, string(gate.KeepNone))
	if dir, err := f.setup.AuditDir(); err == nil && a.Dir == "" {
		a.Dir = dir
		name := "XDG_STATE_HOME"
		if state, _ := stateDir(f.setup.opts.Env); state != f.env(name)+"/sallyport" {
			name = "HOME"
		}
		f.says("audit.dir", byEnv, name)
	}
	o := audit.Options{Dir: a.Dir, MaxBytes: a.RotateMB << 20, MaxAge: time.Duration(a.RotateAfter), Checkpoints: a.Checkpoints}.WithDefaults()
	a.RotateMB, a.RotateAfter = o.MaxBytes>>20, config.Duration(o.MaxAge)
	if a.Key != "" {
		a.Checkpoints = o.Checkpoints
	}
}

func (f *inForce) telemetry() {
	o := &f.cfg.Telemetry.OTLP
	if !o.Environment {
		return
	}
	was := *o
	filled := telemetry.OTLP{Endpoint: o.Endpoint, Protocol: o.Protocol, Resource: o.Resource, Timeout: time.Duration(o.Timeout), Interval: time.Duration(o.Interval)}
	if otelEnvironment(f.setup.opts.Env, &filled, &o.CA) != nil {
		return // config check says what is wrong
	}
	o.Endpoint, o.Protocol, o.Timeout, o.Interval = filled.Endpoint, filled.Protocol, config.Duration(filled.Timeout), config.Duration(filled.Interval)
	if filled.Endpoint == "" && was.Endpoint != "" {
		f.says("telemetry.otlp.endpoint", byEnv, "OTEL_SDK_DISABLED")
		return
	}
	o.Resource = filled.Resource
	for name, changed := range map[[2]string]bool{
		{"endpoint", "OTEL_EXPORTER_OTLP_ENDPOINT"}: o.Endpoint != was.Endpoint, {"protocol", "OTEL_EXPORTER_OTLP_PROTOCOL"}: o.Protocol != was.Protocol,
		{"ca", "OTEL_EXPORTER_OTLP_CERTIFICATE"}: o.CA != was.CA, {"timeout", "OTEL_EXPORTER_OTLP_TIMEOUT"}: o.Timeout != was.Timeout,
		{"interval", "OTEL_METRIC_EXPORT_INTERVAL"}: o.Interval != was.Interval,
	} {
		if changed {
			f.says("telemetry.otlp."+name[0], byEnv, name[1])
		}
	}
	for name := range o.Resource {
		if _, ours := was.Resource[name]; ours {
			continue
		}
		place := "OTEL_RESOURCE_ATTRIBUTES"
		if name == "service.name" && f.env("OTEL_SERVICE_NAME") != "" {
			place = "OTEL_SERVICE_NAME"
		}
		f.says("telemetry.otlp.resource."+name, byEnv, place)
	}
}

// servers fills in what is in force for mcp and serve, where they are used.
func (f *inForce) servers() {
	if m := &f.cfg.MCP.Sessions; m.Enabled {
		l := gate.SessionLimits{Idle: time.Duration(m.Idle), Total: time.Duration(m.Total), Max: int(m.Max)}.WithDefaults()
		m.Idle, m.Total, m.Max = config.Duration(l.Idle), config.Duration(l.Total), int64(l.Max)
	}
	if f.cfg.Lines.Of("serve") > 0 {
		f.cfg.Serve = f.cfg.Serve.WithDefaults()
	}
}

// leaves calls tell with each value of a configuration that has no parts, in the
// order in which the configuration has them. What a program gets as a variable
// is hidden, which anything below env is.
func leaves(key string, v reflect.Value, secret bool, tell func(key string, v any)) {
	at := func(name string) string { return strings.TrimPrefix(key+"."+name, ".") }
	switch x := v.Interface().(type) {
	case config.Duration:
		tell(key, short(time.Duration(x)))
		return
	case config.Date:
		tell(key, time.Time(x).Format(time.RFC3339))
		return
	case string:
		if secret && x != "" {
			x = hidden
		}
		tell(key, withoutPassword(x))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			leaves(key, v.Elem(), secret, tell)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i).Tag.Get("yaml"); name != "-" {
				_, variables := v.Field(i).Interface().(map[string]string)
				leaves(at(name), v.Field(i), variables && name == "env", tell)
			}
		}
	case reflect.Map:
		names := v.MapKeys()
		slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, name := range names {
			leaves(at(name.String()), v.MapIndex(name), secret, tell)
		}
	case reflect.Slice:
		for i := range v.Len() {
			leaves(fmt.Sprintf("%s[%d]", key, i), v.Index(i), secret, tell)
		}
	default:
		tell(key, v.Interface())
	}
}

// short is a duration as one writes it, "" for none.
func short(d time.Duration) string {
	if d == 0 {
		return ""
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// withoutPassword leaves out of an address what may be secret.
func withoutPassword(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	u, err := url.Parse(text)
	if err != nil {
		return hidden
	}
	out := u.Scheme + "://"
	if u.User != nil {
		out += hidden + "@"
	}
	out += u.Host + u.EscapedPath()
	if u.RawQuery != "" || u.Fragment != "" {
		out += "?" + hidden
	}
	return out
}
