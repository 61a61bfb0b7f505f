package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// guard dials hosts, and no address inside of the network: of this host, its
// neighbours or what a cloud has beside it. The operator's rules can name such
// addresses for a host.
type guard struct {
	rules  []Rule
	proxy  *upstream // nil: hosts are dialled from here
	public *ssrf.Guardian
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
	own    func() ([]net.Addr, error) // addresses of this host
}

// dialLimit is for one address.
const dialLimit = 10 * time.Second

// errInside is wrapped by the error of a host that leads inside.
var errInside = errors.New("its address is inside of the network")

// metadata is where Azure answers virtual machines; it is no special prefix.
var metadata = netip.MustParsePrefix("168.63.129.16/32")

func newGuard(rules []Rule) guard {
	return guard{
		rules:  rules,
		public: ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(metadata)),
		lookup: net.DefaultResolver.LookupNetIP,
		own:    net.InterfaceAddrs,
	}
}

// named are the addresses that the operator gives a host.
func (g guard) named(host string, port int) (all []netip.Addr) {
	for _, r := range g.rules {
		if r.hasHost(host) && slices.Contains(r.ports(), port) {
			all = append(all, r.Addresses...)
		}
	}
	return all
}

// check refuses an address that is not public.
func (g guard) check(a netip.Addr) error {
	a = a.Unmap()
	if g.public.SafeAddr(a) != nil { // nor is one with a zone
		return fmt.Errorf("%w: %s", errInside, a)
	}
	own, err := g.own()
	if err != nil {
		return err
	}
	for _, o := range own {
		if p, err := netip.ParsePrefix(o.String()); err != nil || p.Addr().Unmap() == a {
			return fmt.Errorf("%w: %s", errInside, a)
		}
	}
	return nil
}

// addresses are those of a host. One that is inside of the network spoils all:
// a name with such an answer is a trap.
func (g guard) addresses(ctx context.Context, host string, port int) ([]netip.Addr, error) {
	if named := g.named(host, port); len(named) > 0 {
		return named, nil
	}
	found, err := g.lookup(ctx, "ip", host)
	if err != nil {
		return nil, fmt.Errorf("looking it up: %w", err)
	}
	for _, a := range found {
		if err := g.check(a); err != nil {
			return nil, err
		}
	}
	if len(found) == 0 {
		return nil, errors.New("it has no address")
	}
	return found, nil
}

// dial connects to a host. The address that is looked at last is the one that
// the kernel is given. It is called where nobody else catches a panic, which
// would end all other runs.
func (g guard) dial(ctx context.Context, host string, port int) (c net.Conn, err error) {
	defer func() {
		if recover() != nil {
			c, err = nil, errors.New("the guard panicked")
		}
	}()
	named := g.named(host, port)
	if g.proxy != nil && len(named) == 0 {
		return g.through(ctx, host, port)
	}
	addresses, err := g.addresses(ctx, host, port)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{Timeout: dialLimit, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		if slices.Contains(named, to.Addr()) {
			return nil
		}
		return g.check(to.Addr())
	}}
	var failed error
	for _, a := range addresses {
		c, err := d.DialContext(ctx, "tcp", netip.AddrPortFrom(a.Unmap(), uint16(port)).String())
		if err == nil {
			return c, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}
