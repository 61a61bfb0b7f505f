package kubernetes

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"
	"gopkg.in/yaml.v3"

	"sallyport/internal/hint"
)

// serviceAccount is where a pod finds who it is.
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

// cluster is where the API server is, and as whom we ask it.
type cluster struct {
	base      *url.URL
	namespace string                 // "" where nothing names one
	token     func() (string, error) // nil: the certificate says who we are
	tls       *tls.Config
}

// connect finds the cluster: the one that a kubeconfig names, or, without one,
// that of the pod we are in.
func connect(kubeconfig, context string, env func(string) (string, bool)) (*client, error) {
	find := func() (cluster, error) { return inPod(env) }
	if kubeconfig != "" {
		find = func() (cluster, error) { return fromFile(kubeconfig, context) }
	}
	c, err := find()
	if err != nil {
		return nil, err
	}
	return newClient(c), nil
}

func newClient(c cluster) *client {
	transport := &http.Transport{
		TLSClientConfig: c.tls.Clone(), ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: answerLimit,
		DialContext: (&net.Dialer{Timeout: answerLimit}).DialContext,
		// A server that is gone without a word is asked in vain otherwise.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 2 * answerLimit, PingTimeout: answerLimit},
	}
	dialer := &websocket.Dialer{
		WriteBufferSize: 2 * maxMessage, // what does not fit goes in fragments, of which API servers take the first alone
		TLSClientConfig: c.tls.Clone(), HandshakeTimeout: answerLimit, Subprotocols: []string{"v5.channel.k8s.io", "v4.channel.k8s.io"},
		NetDialContext: (&net.Dialer{Timeout: answerLimit}).DialContext,
	}
	// Redirects would take the token elsewhere; an API server sends none.
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client{cluster: c, http: &http.Client{Transport: transport, CheckRedirect: noRedirect}, dialer: dialer}
}

// inPod is the cluster of the pod that this process is in.
func inPod(env func(string) (string, bool)) (cluster, error) {
	var host, port string
	if env != nil {
		host, _ = env("KUBERNETES_SERVICE_HOST")
		port, _ = env("KUBERNETES_SERVICE_PORT")
	}
	if host == "" || port == "" {
		return cluster{}, hint.New(nil, "set sandbox.kubernetes.kubeconfig, or run sallyport in a pod of the cluster", "this process is in no pod, and no kubeconfig is named")
	}
	ca, err := os.ReadFile(serviceAccount + "/ca.crt")
	if err != nil {
		return cluster{}, hint.New(err, "have the pod of sallyport mount its service account's token: the chart does with kubernetes.enabled", "this pod has no service account")
	}
	namespace, err := os.ReadFile(serviceAccount + "/namespace")
	if err != nil {
		return cluster{}, err
	}
	config, err := trusting(ca)
	return cluster{
		base:      &url.URL{Scheme: "https", Host: net.JoinHostPort(host, port)},
		namespace: strings.TrimSpace(string(namespace)),
		token:     tokenFile(serviceAccount + "/token"),
		tls:       config,
	}, err
}

// tokenFile reads a token anew each time: the cluster replaces it.
func tokenFile(path string) func() (string, error) {
	return func() (string, error) {
		b, err := os.ReadFile(path)
		return string(bytes.TrimSpace(b)), err
	}
}

func trusting(ca []byte) (*tls.Config, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, errors.New("the cluster's certificate authority is no certificate in PEM")
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}, nil
}

// kubeconfig is what we read of one. Whatever else is there to say who asks
// (a plugin that is started, a password) is refused by name.
type kubeconfig struct {
	Current  string `yaml:"current-context"`
	Clusters []struct {
		Name    string
		Cluster struct {
			Server   string
			CA       string `yaml:"certificate-authority"`
			CABase64 string `yaml:"certificate-authority-data"`
			Insecure bool   `yaml:"insecure-skip-tls-verify"`
		}
	}
	Users []struct {
		Name string
		User map[string]any
	}
	Contexts []struct {
		Name    string
		Context struct{ Cluster, User, Namespace string }
	}
}

// fromFile is the cluster that a context of a kubeconfig names.
func fromFile(path, context string) (cluster, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return cluster{}, hint.While(err, "reading the kubeconfig")
	}
	var k kubeconfig
	if err := yaml.Unmarshal(data, &k); err != nil {
		return cluster{}, fmt.Errorf("the kubeconfig %s: %w", path, err)
	}
	name := cmp.Or(context, k.Current)
	at := slices.IndexFunc(k.Contexts, func(c struct {
		Name    string
		Context struct{ Cluster, User, Namespace string }
	}) bool {
		return c.Name == name
	})
	if at < 0 {
		return cluster{}, hint.New(nil, "set sandbox.kubernetes.context to one that it has", "the kubeconfig %s has no context %q", path, name)
	}
	chosen := k.Contexts[at].Context
	c := cluster{namespace: chosen.Namespace, tls: &tls.Config{MinVersion: tls.VersionTLS12}}
	read := reader(filepath.Dir(path))
	for _, one := range k.Clusters {
		if one.Name != chosen.Cluster {
			continue
		}
		if c.base, err = url.Parse(one.Cluster.Server); err != nil {
			return c, err
		}
		if c.base.Scheme != "https" || one.Cluster.Insecure {
			return c, hint.New(nil, "name an https address, and its certificate authority", "cluster %q of %s is not proved to be the cluster", one.Name, path)
		}
		ca, err := read(one.Cluster.CABase64, one.Cluster.CA)
		if err != nil {
			return c, err
		}
		if len(ca) > 0 {
			if c.tls, err = trusting(ca); err != nil {
				return c, err
			}
		}
	}
	if c.base == nil {
		return c, fmt.Errorf("the kubeconfig %s has no cluster %q", path, chosen.Cluster)
	}
	for _, one := range k.Users {
		if one.Name == chosen.User {
			return c, c.identify(one.User, read, fmt.Sprintf("user %q of %s", one.Name, path))
		}
	}
	return c, fmt.Errorf("the kubeconfig %s has no user %q", path, chosen.User)
}

// reader reads what a kubeconfig has in itself or in a file beside it.
func reader(dir string) func(inside, path string) ([]byte, error) {
	return func(inside, path string) ([]byte, error) {
		switch {
		case inside != "":
			return decode(inside)
		case path == "":
			return nil, nil
		case !filepath.IsAbs(path):
			path = filepath.Join(dir, path)
		}
		return os.ReadFile(path)
	}
}

// identify settles as whom we ask.
func (c *cluster) identify(user map[string]any, read func(inside, path string) ([]byte, error), who string) error {
	text := func(key string) string {
		s, _ := user[key].(string)
		delete(user, key)
		return s
	}
	token, file := text("token"), text("tokenFile")
	cert, err1 := read(text("client-certificate-data"), text("client-certificate"))
	key, err2 := read(text("client-key-data"), text("client-key"))
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	for other := range user {
		return hint.New(nil, "make a service account for sallyport, and put its token into a kubeconfig of its own", "%s is identified by %q, which sallyport does not do", who, other)
	}
	switch {
	case file != "":
		c.token = tokenFile(file)
	case token != "":
		c.token = func() (string, error) { return token, nil }
	case len(cert) > 0:
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return err
		}
		c.tls.Certificates = []tls.Certificate{pair}
	default:
		return fmt.Errorf("%s has neither a token nor a certificate", who)
	}
	return nil
}
