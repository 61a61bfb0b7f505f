package shared

import "context"

// Announce does at once what a replica does again and again.
func Announce(d *Database, ctx context.Context) { d.announce(ctx) }
