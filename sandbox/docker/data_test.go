package docker

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

const dataImage = "sallyport/data:test"

// requireData is requireDocker for an engine that has the data image.
func requireData(t testing.TB) Options {
	t.Helper()
	o := requireDocker(t)
	b := open(t, o)
	if _, err := b.api.ImageInspect(context.Background(), dataImage); err != nil {
		if os.Getenv("REQUIRE_DOCKER") == "1" {
			t.Fatalf("REQUIRE_DOCKER=1: %v: run .ci/services start", err)
		}
		t.Skipf("requires the data image: %v", err)
	}
	o.Images = map[string]string{"python": dataImage}
	return o
}

// TestDataImage: each of its libraries does real work under every control,
// within the default limits but for time.
func TestDataImage(t *testing.T) {
	t.Parallel()
	b := open(t, requireData(t))
	for name, tt := range map[string]struct{ code, want string }{
		"numpy":      {"import numpy as np\na = np.arange(12.).reshape(3, 4)\nprint((a @ a.T).trace(), np.linalg.det(np.eye(3) * 2).round(6))", "506.0 8.0\n"},
		"pandas":     {"import io, pandas as pd\nd = pd.read_csv(io.StringIO('k,v\\na,1\\nb,2\\na,3\\n'))\nprint(d.groupby('k').v.sum().to_dict())", "{'a': 4, 'b': 2}\n"},
		"scipy":      {"from scipy import optimize, stats\nprint(round(optimize.brentq(lambda x: x * x - 2, 0, 2), 6), stats.linregress([0, 1, 2], [1, 3, 5]).slope)", "1.414214 2.0\n"},
		"sklearn":    {"from sklearn.linear_model import LinearRegression\nfrom sklearn.cluster import KMeans\nprint(LinearRegression().fit([[0], [1], [2]], [1, 3, 5]).coef_.round(6), len(set(KMeans(2, n_init=1).fit([[0], [0.1], [9], [9.1]]).labels_)))", "[2.] 2\n"},
		"sympy":      {"import sympy as s\nx = s.symbols('x')\nprint(s.integrate(s.sin(x) ** 2, x), s.factor(x ** 2 - 1))", "x/2 - sin(x)*cos(x)/2 (x - 1)*(x + 1)\n"},
		"pillow":     {"from PIL import Image, ImageDraw, ImageFont\ni = Image.new('RGB', (40, 20))\nImageDraw.Draw(i).text((1, 1), 'x', fill='red')\ni.save('i.jpg')\nprint(Image.open('i.jpg').size)", "(40, 20)\n"},
		"matplotlib": {"import matplotlib.pyplot as plt\nplt.plot([1, 2, 3]); plt.title('$x^2$'); plt.show()\nplt.figure(); plt.bar([1], [2]); plt.show()\nimport os\nprint('shown', [f[:9] for f in os.listdir('/tmp') if os.path.islink('/tmp/' + f)])", "shown ['fontlist-']\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := sandboxtest.Spec("python", tt.code)
			s.Limits.Wall, s.Limits.CPU = 2*time.Minute, time.Minute
			r := run(t, b, s)
			if r.Reason != sandbox.Exited || string(r.Stdout) != tt.want || len(r.Stderr) > 0 {
				t.Errorf("%s %d for %v, stdout %q, want %q, stderr %s", r.Reason, r.Exit, r.Violations, r.Stdout, tt.want, r.Stderr)
			}
			if name == "matplotlib" {
				wantFigures(t, r, "figure-1.png", "figure-2.png")
			}
			t.Logf("%s CPU, %d MiB", r.Usage.CPU, r.Usage.PeakMemory>>20)
		})
	}
}

// wantFigures wants these artifacts, each a PNG.
func wantFigures(t *testing.T, r sandbox.Result, names ...string) {
	t.Helper()
	var got []string
	for _, a := range r.Artifacts {
		if a.MediaType != "image/png" || !bytes.HasPrefix(a.Data, []byte("\x89PNG")) {
			t.Errorf("%s is %s", a.Path, a.MediaType)
		}
		got = append(got, a.Path)
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("figures %q, want %q", got, names)
	}
}

// TestDataImageIsSmall: it runs as nobody, has no shell, and no more than its
// libraries.
func TestDataImageIsSmall(t *testing.T) {
	t.Parallel()
	o := requireData(t)
	b := open(t, o)
	in, err := b.api.ImageInspect(context.Background(), dataImage)
	if err != nil {
		t.Fatal(err)
	}
	if in.Config.User != "65534:65534" {
		t.Errorf("user %q", in.Config.User)
	}
	if in.Size > 480<<20 {
		t.Errorf("%d MiB", in.Size>>20)
	}
	s := sandboxtest.Spec("python", `import os
print([p for d in ("/usr/bin", "/bin", "/usr/local/bin") if os.path.isdir(d) for p in os.listdir(d) if "python" not in p])`)
	s.Grant = sandbox.Grant{sandbox.CapabilityFiles}
	r := run(t, b, s)
	if string(r.Stdout) != "[]\n" {
		t.Errorf("programs besides Python: %s%s", r.Stdout, r.Stderr)
	}
}
