package config

import (
	"strings"
	"testing"
)

const validEnvironment = `environments:
  data:
    description: numbers
    python: {lock: data.lock}
    javascript: {interpreter: /opt/node/bin/node}
    preload: [numpy, matplotlib.pyplot]
    env: {TZ: UTC}
    secrets:
      API_KEY: {env: MY_KEY}
      VAULTED: {exec: [vault, read, key]}
    mounts:
      - {source: tables, target: /data}
  out:
    egress:
      limits: {requests: 5, sent_mb: 1}
      allow:
        - {name: api, host: api.example.com, ports: [443], methods: [GET], paths: [/v1/*], addresses: [10.0.0.1]}
        - {name: unseen, host: unseen.example.com, opaque: true}
      ca: ca.pem
      proxy: http://me@proxy.example:3128
      proxy_password: {exec: [vault, read, proxy]}
    secrets:
      KEY: {file: key, broker: {rule: api, headers: [X-Api-Key], basic: true}}
      AWS_ACCESS_KEY_ID: {env: ID, broker: {rule: api}}
      AWS_SECRET_ACCESS_KEY: {env: KEY, broker: {rule: api, sign: sigv4, id: AWS_ACCESS_KEY_ID, regions: [eu-central-1], services: [s3]}}
`

// Each case changes one thing of an environment that is valid.
func TestEnvironments(t *testing.T) {
	if _, err := Parse(strings.NewReader(validEnvironment)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, old, new, want string }{
		{"name with a path", "  data:\n", "  ../data:\n", "is not a name"},
		{"two ways to an interpreter", "{lock: data.lock}", "{lock: data.lock, interpreter: /usr/bin/python3}", "exclude each other"},
		{"packages beside an image", "{lock: data.lock}", "{lock: data.lock, image: x}", "image and lock exclude each other"},
		{"relative interpreter in an image", "{lock: data.lock}", "{interpreter: bin/python3, image: x}", "is not an absolute path inside the image"},
		{"no module", "[numpy,", "['numpy;os',", "is not the name of a module"},
		{"no language to preload", "python: {lock: data.lock}", "", "has no python"},
		{"no variable", "TZ: UTC", "T Z: UTC", "is not the name of a variable"},
		{"loader variable", "TZ: UTC", "LD_PRELOAD: /x.so", "changes how programs are loaded"},
		{"interpreter variable as a secret", "API_KEY", "PYTHONSTARTUP", "changes how programs are loaded"},
		{"node variable", "TZ: UTC", "NODE_OPTIONS: -r x", "changes how programs are loaded"},
		{"secret without a source", "{env: MY_KEY}", "{}", "needs one of env, file and exec"},
		{"secret with two sources", "{env: MY_KEY}", "{env: MY_KEY, file: x}", "needs one of env, file and exec"},
		{"secret with a command besides", "{env: MY_KEY}", "{exec: [vault], file: x}", "needs one of env, file and exec"},
		{"secret of an empty command", "{env: MY_KEY}", "{exec: ['']}", "needs one of env, file and exec"},
		{"secret and variable", "TZ: UTC", "API_KEY: x", "is in env and in secrets"},
		{"mount over the interpreter", "target: /data", "target: /usr/lib/python3", "outside of what the sandbox has"},
		{"mount over the work directory", "target: /data", "target: /workspace", "outside of what the sandbox has"},
		{"mount that climbs", "target: /data", "target: /data/../usr", "outside of what the sandbox has"},
		{"relative mount", "target: /data", "target: data", "outside of what the sandbox has"},
		{"broker without egress", "{env: MY_KEY}", "{env: MY_KEY, broker: {rule: api}}", "broker needs egress"},
		{"secret that programs could send", ", broker: {rule: api, headers: [X-Api-Key], basic: true}", "", "give it a broker, or say exposed"},
		{"password of two sources", "read, proxy]}", "read, proxy], env: PASSWORD}", "needs one of env, file and exec"},
		{"password that programs have", "read, proxy]}", "read, proxy], exposed: true}", "exposed"},
		{"password of no proxy", "proxy: http://me@proxy.example:3128", "proxy: ''", "there is no proxy"},
		{"broker and exposed", "basic: true}}", "basic: true}, exposed: true}", "exclude each other"},
		{"broker for no rule", "{rule: api,", "{rule: other,", "there is no rule \"other\""},
		{"another way to sign", "sign: sigv4", "sign: sigv2", "there is sigv4"},
		{"what is for signing", "sign: sigv4, ", "", "are for sign: sigv4"},
		{"nothing is allowed", "      allow:\n        - {name: api, host: api.example.com, ports: [443], methods: [GET], paths: [/v1/*], addresses: [10.0.0.1]}\n        - {name: unseen, host: unseen.example.com, opaque: true}\n", "", "allow is empty"},
		{"no address", "10.0.0.1", "10.0.0", "is not an address"},
		{"negative limit", "requests: 5", "requests: -5", "is not between"},
		{"mount of nothing", "source: tables", "source: ''", "needs a source"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(strings.NewReader(strings.Replace(validEnvironment, tt.old, tt.new, 1)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse() = %v, want an error with %q", err, tt.want)
			}
		})
	}
}

// Paths are relative to the configuration, also those of local images.
func TestImagePaths(t *testing.T) {
	c, err := Parse(strings.NewReader("environments:\n  a:\n    python: {image: 'docker-archive:py.tar', interpreter: /opt/py}\n    javascript: {image: 'dir:/abs'}\n"))
	if err != nil {
		t.Fatal(err)
	}
	c.resolve("/etc/sallyport")
	e := c.Environments["a"]
	if e.Python.Image != "docker-archive:/etc/sallyport/py.tar" || e.Python.Interpreter != "/opt/py" || e.JavaScript.Image != "dir:/abs" {
		t.Errorf("%+v", e)
	}
}
