package egress

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"sync"
	"time"
)

// ca signs certificates for the names that programs ask for. Its key never
// leaves this process.
type ca struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	leaf *ecdsa.PrivateKey // of all leaves
	pem  []byte

	mu     sync.Mutex // guards what follows
	leaves map[string]*tls.Certificate
}

const (
	caLife    = 90 * 24 * time.Hour // longer than a sallyport process lives
	clockSkew = time.Hour
	maxLeaves = 256
)

var errNoName = errors.New("no server name")

func newCA() (*ca, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	leaf, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	number, err := serial()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: number, Subject: pkix.Name{CommonName: "sallyport egress"},
		NotBefore: now.Add(-clockSkew), NotAfter: now.Add(caLife),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &ca{cert: cert, key: key, leaf: leaf, leaves: map[string]*tls.Certificate{}, pem: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}, nil
}

func serial() (*big.Int, error) { return rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)) }

// certificate is a tls.Config's GetCertificate.
func (c *ca) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name, err := hostName(hello.ServerName)
	if err != nil {
		return nil, errNoName
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.leaves[name]; known != nil {
		return known, nil
	}
	number, err := serial()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: number, NotBefore: c.cert.NotBefore, NotAfter: c.cert.NotAfter, DNSNames: []string{name},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, c.cert, &c.leaf.PublicKey, c.key)
	if err != nil {
		return nil, err
	}
	if len(c.leaves) >= maxLeaves {
		clear(c.leaves)
	}
	made := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: c.leaf}
	c.leaves[name] = made
	return made, nil
}
