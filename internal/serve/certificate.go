package serve

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"sallyport/config"
)

// certFiles are the service's certificate and the authorities of its clients,
// read again when their files change. Files that are not whole leave in force
// what was read before.
type certFiles struct {
	cfg config.ServeTLS
	log func(format string, args ...any)
	now func() time.Time

	mu     sync.Mutex // guards the fields below
	looked time.Time
	seen   string
	inUse  *tls.Config
}

const lookAfter = time.Second // between two looks at the files

// config is the TLS configuration of a server; it fails when the files cannot
// be used from the start.
func (f *certFiles) config() (*tls.Config, error) {
	first, err := f.load()
	if err != nil {
		return nil, err
	}
	f.inUse, f.seen, f.looked = first, f.stamp(), f.now()
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return f.current(), nil },
		GetCertificate:     func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &f.current().Certificates[0], nil },
	}, nil
}

func (f *certFiles) load() (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(f.cfg.Cert, f.cfg.Key)
	if err != nil {
		return nil, fmt.Errorf("the service's certificate: %w", err)
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2", "http/1.1"}}
	if f.cfg.ClientCA != "" {
		text, err := os.ReadFile(f.cfg.ClientCA)
		if err != nil {
			return nil, fmt.Errorf("the authorities of clients: %w", err)
		}
		c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.VerifyClientCertIfGiven
		if !c.ClientCAs.AppendCertsFromPEM(text) {
			return nil, errors.New("the authorities of clients: no certificate in " + f.cfg.ClientCA)
		}
		// A session that was begun under other authorities is not resumed.
		c.SessionTicketsDisabled = true
	}
	return c, nil
}

// stamp tells one state of the files from another.
func (f *certFiles) stamp() (text string) {
	for _, name := range []string{f.cfg.Cert, f.cfg.Key, f.cfg.ClientCA} {
		if st, err := os.Stat(name); err == nil {
			text += fmt.Sprintf("%d %d %d;", st.ModTime().UnixNano(), st.Size(), st.Mode())
		}
	}
	return text
}

func (f *certFiles) current() *tls.Config {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.now(); now.Sub(f.looked) >= lookAfter {
		f.looked = now
		if stamp := f.stamp(); stamp != f.seen {
			f.seen = stamp
			if c, err := f.load(); err != nil {
				f.log("%v; the one that was read before stays in force", err)
			} else {
				f.inUse = c
				f.log("read the certificate again")
			}
		}
	}
	return f.inUse
}
