package serve

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"sallyport/config"
	"sallyport/internal/trust"
)

// certFiles are the service's certificate and the authorities of its clients,
// read again when their files change. Files that are not whole leave in force
// what was read before.
type certFiles struct {
	cfg config.ServeTLS
	log func(format string, args ...any)
	now func() time.Time

	record func(part, sha256 string, refused error) error // of a reload

	mu     sync.Mutex // guards the fields below
	looked time.Time
	seen   string
	inUse  *tls.Config
	sha256 map[string]string // of its parts
}

const lookAfter = time.Second // between two looks at the files

// config is the TLS configuration of a server; it fails when the files cannot
// be used from the start.
func (f *certFiles) config() (*tls.Config, error) {
	f.seen, f.looked = f.stamp(), f.now()
	var err error
	if f.inUse, f.sha256, err = f.load(); err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return f.current(), nil },
		GetCertificate:     func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &f.current().Certificates[0], nil },
	}, nil
}

// load reads the files, and the digest of each part.
func (f *certFiles) load() (*tls.Config, map[string]string, error) {
	pair, err := tls.LoadX509KeyPair(f.cfg.Cert, f.cfg.Key)
	if err != nil {
		return nil, nil, fmt.Errorf("the service's certificate: %w", err)
	}
	sums := map[string]string{certificatePart: digest(pair.Certificate[0])}
	c := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2", "http/1.1"}}
	if f.cfg.ClientCA != "" {
		const what = "the authorities of clients"
		if err := trust.Path(what, f.cfg.ClientCA); err != nil {
			return nil, nil, err
		}
		text, err := os.ReadFile(f.cfg.ClientCA)
		if err != nil {
			return nil, nil, fmt.Errorf(what+": %w", err)
		}
		c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.VerifyClientCertIfGiven
		if !c.ClientCAs.AppendCertsFromPEM(text) {
			return nil, nil, errors.New(what + ": no certificate in " + f.cfg.ClientCA)
		}
		// A session that was begun under other authorities is not resumed.
		c.SessionTicketsDisabled = true
		sums[clientsPart] = digest(text)
	}
	return c, sums, nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

const certificatePart, clientsPart = "certificate", "client_ca"

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
			if err := f.reload(); err != nil {
				f.log("%v; the one that was read before stays in force", err)
			} else {
				f.seen = stamp
			}
		}
	}
	return f.inUse
}

// reload takes what is in the files, on record. What was refused on record is not
// tried again until they change.
func (f *certFiles) reload() error {
	c, sums, refused := f.load()
	if refused != nil {
		f.log("%v; the one that was read before stays in force", refused)
		return f.record(certificatePart, f.sha256[certificatePart], refused)
	}
	for _, part := range slices.Sorted(maps.Keys(sums)) {
		if sums[part] == f.sha256[part] {
			continue
		}
		if err := f.record(part, sums[part], nil); err != nil {
			return fmt.Errorf("it cannot be recorded: %w", err)
		}
	}
	f.inUse, f.sha256 = c, sums
	f.log("read the certificate again")
	return nil
}
