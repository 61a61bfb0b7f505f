package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"sallyport/internal/hint"
	"sallyport/sandbox"
	"sallyport/sandbox/internal/frame"
	"sallyport/sandbox/internal/supervised"
	"sallyport/sandbox/internal/supervised/wire"
)

// A NetworkPolicy enforces nothing where the cluster's network does not. So the
// namespace is believed what it does: two pods as those of runs, but with no
// program and none of our filters, try each other and everything around.

const maxTried = 64 << 10

// The addresses at which clouds tell machines who they are, and the port of a
// node's kubelet.
var metadata = [...]string{"169.254.169.254:80", "[fd00:ec2::254]:80"}

const kubelet = "10250"

// prove has the namespace prove its network, unless it just did. One that lets
// anything through is refused.
func (b *Backend) prove(ctx context.Context) error {
	select {
	case b.proving <- struct{}{}:
		defer func() { <-b.proving }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if time.Since(b.proved) < proofLasts {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*startLimit)
	defer cancel()
	reached, err := b.tryAll(ctx)
	if err != nil {
		return fmt.Errorf("proving the network of namespace %s: %w", b.api.namespace, err)
	}
	if len(reached) > 0 {
		return hint.New(nil, "deny all traffic of its pods with a NetworkPolicy, in a cluster whose network enforces those; or name a namespace where that is so",
			"the network of namespace %s is open, and no program is given to it: a pod there got an answer from %s", b.api.namespace, strings.Join(reached, ", "))
	}
	b.proved = time.Now()
	return nil
}

// tryAll starts the two pods and returns what answered.
func (b *Backend) tryAll(ctx context.Context) (reached []string, err error) {
	peer, at, err := b.startProbe(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, peer.Close()) }()
	trying, here, err := b.startProbe(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, trying.Close()) }()
	answer, err := trying.try(ctx, b.targets(at, peer.port, here))
	return answer.Reached, err
}

// targets is everything that no pod may reach.
func (b *Backend) targets(peer state, port int, here state) wire.Probe {
	p := wire.Probe{TCP: slices.Concat(metadata[:], b.opts.Outside), DNS: slices.Clone(b.opts.Resolvers)}
	p.TCP = append(p.TCP, b.opts.Resolvers...)
	add := func(host, port string) {
		if host != "" {
			p.TCP = append(p.TCP, net.JoinHostPort(host, port))
		}
	}
	for _, at := range peer.Status.PodIPs {
		add(at.IP, fmt.Sprint(port))
	}
	for _, at := range slices.Concat(here.Status.HostIPs, peer.Status.HostIPs) {
		add(at.IP, kubelet)
	}
	apiPort := b.api.base.Port()
	if apiPort == "" {
		apiPort = "443"
	}
	// On loopback it is no pod's way to anybody but itself.
	if api := b.api.base.Hostname(); api != "localhost" && !net.ParseIP(api).IsLoopback() {
		add(api, apiPort)
	}
	slices.Sort(p.TCP)
	p.TCP = slices.Compact(p.TCP)
	return p
}

// prober is a pod whose first process tries a network.
type prober struct {
	*box
	link *attached
	port int // on which it can be tried
}

func (b *Backend) startProbe(ctx context.Context) (*prober, state, error) {
	language := "python"
	if b.opts.Images[language] == "" {
		language = "javascript"
	}
	s := sandbox.Spec{Language: language}
	if b.image(s) == "" {
		return nil, state{}, hint.New(nil, "prepare one and name it with sandbox.kubernetes.images", "no image is configured")
	}
	c, now, err := b.create(ctx, s, 0, "probe")
	if err != nil {
		return nil, state{}, err
	}
	p := &prober{box: c}
	complaint := new(supervised.Complaint)
	c.reading.Add(1)
	if p.link, err = b.api.attach(ctx, c.name, container, complaint, c.reading.Done); err != nil {
		c.reading.Done()
		return nil, state{}, errors.Join(err, c.remove(ctx))
	}
	answer, err := p.try(ctx, wire.Probe{})
	if err != nil {
		return nil, state{}, errors.Join(fmt.Errorf("a probe: %w %s", err, complaint.FirstLine()), p.Close())
	}
	p.port = answer.Port
	return p, now, nil
}

// try has the pod try addresses.
func (p *prober) try(ctx context.Context, what wire.Probe) (wire.Reached, error) {
	defer context.AfterFunc(ctx, func() { _ = p.link.Close() })() // lets go of both
	var answer wire.Reached
	body, err := json.Marshal(what)
	if err == nil {
		err = frame.Write(p.link, wire.Try, body)
	}
	if err != nil {
		return answer, err
	}
	_, n, err := frame.Header(p.link)
	if err != nil {
		return answer, err
	}
	if body, err = frame.Payload(p.link, n, maxTried); err != nil {
		return answer, err
	}
	if err = json.Unmarshal(body, &answer); err == nil && answer.Error != "" {
		err = errors.New(answer.Error)
	}
	return answer, err
}

// Close ends the pod and waits until it is gone.
func (p *prober) Close() error {
	_ = p.link.Close() // what it may say of the other end is of no use now
	p.reading.Wait()
	return p.remove(context.Background())
}
