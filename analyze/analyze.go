// Package analyze turns untrusted Python and JavaScript into facts that a
// policy can judge. It never runs the source and never trusts it: input is
// bounded before it is read, and what cannot be understood is refused or
// reported, never skipped.
//
// The way of a source is Canonical, then Facts:
//
//	a := analyze.New()
//	src, err := a.Canonical(analyze.Python, "", raw) // *Refusal when there is no single reading
//	facts, err := a.Facts(ctx, src)
package analyze
