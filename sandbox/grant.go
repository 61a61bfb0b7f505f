package sandbox

import (
	"fmt"
	"maps"
	"slices"
)

// Capability names one thing that a program may be able to do, in the words of
// policy.
type Capability string

// The capabilities that a sandbox can hold back while a program runs. Which of
// them a run held back, and how, is in its Result.Enforced.
const (
	CapabilityCodeEval      Capability = "code.eval"        // code made from text
	CapabilityCodeLoad      Capability = "code.load"        // modules by a name that the text of the program does not say
	CapabilityDeserialize   Capability = "deserialize"      // data that is code
	CapabilityEnvironment   Capability = "environment"      // the environment of the process
	CapabilityFiles         Capability = "filesystem.read"  // files, and lists of them, that the text of the program does not name
	CapabilityWrites        Capability = "filesystem.write" // files made, changed or taken away that the text of the program does not name
	CapabilityIntrospection Capability = "introspection"    // what the interpreter is made of
	CapabilityNative        Capability = "native"           // machine code
	CapabilityNetwork       Capability = "network"          // sockets
	CapabilityProcess       Capability = "process"          // exec and fork
	CapabilitySignals       Capability = "signals"          // signals to processes and threads
)

// Capabilities returns all of them, sorted. There are no others.
func Capabilities() []Capability {
	return []Capability{
		CapabilityCodeEval, CapabilityCodeLoad, CapabilityDeserialize, CapabilityEnvironment,
		CapabilityFiles, CapabilityWrites, CapabilityIntrospection, CapabilityNative, CapabilityNetwork, CapabilityProcess, CapabilitySignals,
	}
}

// Grant is the set of capabilities that policy lets through at run time. The
// zero Grant lets none through.
type Grant []Capability

// Has reports whether c is let through.
func (g Grant) Has(c Capability) bool { return slices.Contains(g, c) }

// Denied returns the capabilities that are not let through, sorted.
func (g Grant) Denied() []Capability { return slices.DeleteFunc(Capabilities(), g.Has) }

// check refuses what no backend can give.
func (g Grant) check() error {
	for _, c := range g {
		if !slices.Contains(Capabilities(), c) {
			return fmt.Errorf("%w: unknown capability %q", ErrRefused, c)
		}
	}
	return nil
}

// Enforced returns the controls of d that hold for runs with a Grant: a control
// with the name of a capability that is let through does not.
func (d Description) Enforced(g Grant) map[Control]string {
	held := maps.Clone(d.Controls)
	if !g.Has(CapabilityNetwork) {
		delete(held, ControlEgress)
	}
	for _, c := range g {
		delete(held, Control(c))
	}
	return held
}
