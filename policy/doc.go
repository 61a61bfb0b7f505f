// Package policy judges facts about source with Rego. It answers every
// question with a Decision: what it cannot judge, for whatever reason, it
// denies, each time with a reason code.
//
//	engine, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"baseline"}})
//	decision := engine.Decide(ctx, input)
//	permit, err := decision.Permit() // ErrDenied unless the decision allows
//
// Rules live in packages named sallyport.rules.NAME and say deny, ask, warn or
// log contains {…}; see the embedded packs for examples.
package policy
