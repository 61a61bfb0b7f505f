package kubernetes

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func kubeconfigOf(cluster, user string) string {
	return fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: c, clusters: [{name: c, cluster: {%s}}],
 users: [{name: u, user: {%s}}], contexts: [{name: c, context: {cluster: c, user: u, namespace: sandboxes}}]}`, cluster, user)
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What a kubeconfig cannot prove, and what we would have to start to know who we
// are, is refused by name.
func TestKubeconfig(t *testing.T) {
	for _, row := range []struct{ name, cluster, user, context, want string }{
		{"a token", "server: https://192.0.2.1", "token: x", "", ""},
		{"in the clear", "server: http://192.0.2.1", "token: x", "", "is not proved to be the cluster"},
		{"not proved", "server: https://192.0.2.1, insecure-skip-tls-verify: true", "token: x", "", "is not proved to be the cluster"},
		{"a program", "server: https://192.0.2.1", "exec: {command: /bin/sh}", "", `"exec"`},
		{"a password", "server: https://192.0.2.1", "username: u, password: p", "", "which sallyport does not do"},
		{"nobody", "server: https://192.0.2.1", "", "", "neither a token nor a certificate"},
		{"another context", "server: https://192.0.2.1", "token: x", "other", `no context "other"`},
		{"no authority", "server: https://192.0.2.1, certificate-authority-data: eA==", "token: x", "", "no certificate in PEM"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := fromFile(write(t, kubeconfigOf(row.cluster, row.user)), row.context)
			if row.want != "" {
				if err == nil || !strings.Contains(err.Error(), row.want) {
					t.Errorf("%v; want %q", err, row.want)
				}
				return
			}
			if err != nil || c.namespace != "sandboxes" {
				t.Fatalf("%q, %v", c.namespace, err)
			}
			if token, err := c.token(); token != "x" || err != nil {
				t.Errorf("%q, %v", token, err)
			}
		})
	}
}

// Without a RuntimeClass programs would meet the node's kernel: somebody has to
// say that this is all right, before anything is asked of a cluster.
func TestRuntimeClassRequired(t *testing.T) {
	if _, err := New(Options{Kubeconfig: "/nonexistent"}); err == nil || !strings.Contains(err.Error(), "no RuntimeClass is configured") {
		t.Error(err)
	}
}
