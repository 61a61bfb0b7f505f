package config

// Telemetry says where counts and times go. The zero value sends nothing.
type Telemetry struct {
	OTLP       OTLP       `yaml:"otlp"`
	Prometheus Prometheus `yaml:"prometheus"`
}

// OTLP is an OpenTelemetry collector.
type OTLP struct {
	Endpoint    string            `yaml:"endpoint"`     // URL; empty: nothing is sent
	Protocol    string            `yaml:"protocol"`     // http/protobuf or grpc; empty means the first
	HeadersFile string            `yaml:"headers_file"` // lines "Name: value", such as a token
	CA          string            `yaml:"ca"`           // PEM file; empty: the system's
	Resource    map[string]string `yaml:"resource"`     // attributes added to every export
	Timeout     Duration          `yaml:"timeout"`      // of one export; 0: 10s
	Interval    Duration          `yaml:"interval"`     // between exports of metrics; 0: 60s
	Environment bool              `yaml:"environment"`  // fill what is empty here from OTEL_* variables
}

// Prometheus is where metrics can be scraped.
type Prometheus struct {
	Listen string `yaml:"listen"` // loopback address and port; empty: nowhere
}

func (t Telemetry) validate() error {
	switch t.OTLP.Protocol {
	case "", "http/protobuf", "grpc":
		return nil
	}
	return bad("telemetry.otlp.protocol", "%q is not one of http/protobuf, grpc", t.OTLP.Protocol)
}
