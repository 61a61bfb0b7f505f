package kubernetes

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"
)

// Every instance has a lease, which it renews while it lives, and every pod names
// the lease of its instance. Where that has run out or is gone, the pod is nobody's:
// whichever instance looks next removes it.
const (
	renewEvery = 20 * time.Second
	leaseLasts = 2 * time.Minute // long enough for clocks that differ, and for an API server that restarts
	leaseTime  = "2006-01-02T15:04:05.000000Z07:00"
)

type lease struct {
	Metadata struct{ Name string }
	Spec     struct{ RenewTime time.Time }
}

func renewal() object {
	return object{"renewTime": time.Now().UTC().Format(leaseTime), "leaseDurationSeconds": int(leaseLasts.Seconds())}
}

// hold takes a lease and renews it until Close.
func (b *Backend) hold(ctx context.Context) error {
	spec := renewal()
	spec["holderIdentity"] = b.self
	err := b.api.do(ctx, http.MethodPost, b.api.in(leases), nil, object{
		"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": spec,
		"metadata": object{"name": b.self, "labels": object{"app.kubernetes.io/managed-by": "sallyport"}},
	}, nil)
	if err != nil {
		return err
	}
	ctx, b.closing = context.WithCancel(context.WithoutCancel(ctx))
	b.leasing.Go(func() {
		for pause(ctx, renewEvery) {
			// What fails now is tried again; who cannot renew for long loses its pods.
			_ = b.api.do(ctx, http.MethodPatch, b.api.in(leases, b.self), nil, object{"spec": renewal()}, nil)
			_ = b.reap(ctx)
		}
	})
	return nil
}

// letGo removes every pod of this instance, and its lease.
func (b *Backend) letGo(ctx context.Context) error {
	all, err := b.pods(ctx)
	if err == nil {
		err = b.removeWhere(ctx, all, func(owner string) bool { return owner == b.self })
	}
	return errors.Join(err, missing(b.api.do(ctx, http.MethodDelete, b.api.in(leases, b.self), nil, nil, nil)))
}

// reap removes the pods of instances without a lease, and leases that ran out. It
// looks at the pods first: a lease is there before the first pod that names it.
func (b *Backend) reap(ctx context.Context) error {
	pods, err := b.pods(ctx)
	if err != nil {
		return err
	}
	var all struct{ Items []lease }
	query := url.Values{"labelSelector": {"app.kubernetes.io/managed-by=sallyport"}}
	if err := b.api.do(ctx, http.MethodGet, b.api.in(leases), query, nil, &all); err != nil {
		return err
	}
	alive := map[string]bool{b.self: true}
	for _, l := range all.Items {
		if time.Since(l.Spec.RenewTime) < leaseLasts {
			alive[l.Metadata.Name] = true
		} else if l.Metadata.Name != b.self {
			err = errors.Join(err, missing(b.api.do(ctx, http.MethodDelete, b.api.in(leases, l.Metadata.Name), nil, nil, nil)))
		}
	}
	return errors.Join(err, b.removeWhere(ctx, pods, func(owner string) bool { return !alive[owner] }))
}

// pods are those of every instance in the namespace.
func (b *Backend) pods(ctx context.Context) ([]state, error) {
	var all struct{ Items []state }
	err := b.api.do(ctx, http.MethodGet, b.api.in(pods), url.Values{"labelSelector": {labelOwner}}, nil, &all)
	return all.Items, err
}

func (b *Backend) removeWhere(ctx context.Context, all []state, which func(owner string) bool) (err error) {
	for _, p := range all {
		if which(p.Metadata.Labels[labelOwner]) {
			err = errors.Join(err, (&box{b: b, name: p.Metadata.Name}).delete(ctx))
		}
	}
	return err
}

// missing is err, unless that is the absence of what was to be removed.
func missing(err error) error {
	if isStatus(err, http.StatusNotFound) {
		return nil
	}
	return err
}
