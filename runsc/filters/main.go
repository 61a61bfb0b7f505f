// Command filters compiles the filters of system calls that gVisor confines its
// own processes with, for the options that sallyport starts them with, and
// prints them for runsc to embed. gVisor's releases have them compiled, too; its
// Go module compiles them each time a sandbox starts.
//
//	filters > filters_ARCH.json
//	filters -check filters_ARCH.json
//
// The compiler does not give the same bytes each time. A check therefore wants
// the same verdicts of both, for every system call, with arguments drawn from
// the numbers that the filters compare them with.
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	_ "unsafe" // for go:linkname

	"gvisor.dev/gvisor/pkg/bpf"
	"gvisor.dev/gvisor/pkg/seccomp"
	"gvisor.dev/gvisor/pkg/seccomp/precompiledseccomp"
	"gvisor.dev/gvisor/pkg/sentry/platform"
	_ "gvisor.dev/gvisor/pkg/sentry/platform/systrap"
	sentry "gvisor.dev/gvisor/runsc/boot/filter/config"
	gofer "gvisor.dev/gvisor/runsc/fsgofer/filter/config"
)

// What gVisor compiles, with placeholders for the numbers that only a process
// knows. Only functions that compile for every platform are exported.

//go:linkname sentryRules gvisor.dev/gvisor/runsc/boot/filter/config.rules
func sentryRules(sentry.Options, precompiledseccomp.Values) (allowed, denied seccomp.SyscallRules)

//go:linkname goferRules gvisor.dev/gvisor/runsc/fsgofer/filter/config.rules
func goferRules(gofer.Options, precompiledseccomp.Values) (allowed, denied seccomp.SyscallRules)

// filter is one compiled filter: its words, little endian, and where in them the
// numbers go that only its process knows.
type filter struct {
	Name string           `json:"name"`
	Code []byte           `json:"code"`
	Vars map[string][]int `json:"vars"`
}

// filters are those of each process.
type filters struct {
	Sentry []filter `json:"sentry"`
	Gofer  []filter `json:"gofer"`
}

func main() {
	err := fmt.Errorf("usage: filters [-check FILE]")
	switch {
	case len(os.Args) == 1:
		err = write()
	case len(os.Args) == 3 && os.Args[1] == "-check":
		err = check(os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "filters:", err)
		os.Exit(1)
	}
}

func write() error {
	all, err := compile()
	if err != nil {
		return err
	}
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", " ")
	return e.Encode(all)
}

// compile compiles them with and without direct access to the host's files,
// which an operator may turn off, and for mounts that have none.
func compile() (all filters, err error) {
	systrap, err := platform.Lookup("systrap")
	if err != nil {
		return all, err
	}
	for _, info := range systrap.PrecompiledSeccompInfo() {
		for _, files := range []bool{false, true} {
			o := sentry.Options{Platform: info, HostFilesystem: files}
			f, err := one(o.ConfigKey(), o.Vars(), sentry.SeccompOptions(o), func(v precompiledseccomp.Values) (a, d seccomp.SyscallRules) { return sentryRules(o, v) })
			if err != nil {
				return all, err
			}
			all.Sentry = append(all.Sentry, f)
		}
	}
	for _, o := range []gofer.Options{{}, {LisafsNeeded: true}, {DirectFS: true}, {DirectFS: true, LisafsNeeded: true}} {
		f, err := one(o.ConfigKey(), o.Vars(), seccomp.ProgramOptions{}, func(v precompiledseccomp.Values) (a, d seccomp.SyscallRules) { return goferRules(o, v) })
		if err != nil {
			return all, err
		}
		all.Gofer = append(all.Gofer, f)
	}
	return all, nil
}

// one compiles one filter. What it does not allow kills the process, which is
// what gVisor chooses where the kernel can.
func one(name string, vars precompiledseccomp.Values, o seccomp.ProgramOptions, rules func(precompiledseccomp.Values) (allowed, denied seccomp.SyscallRules)) (filter, error) {
	var names []string
	for v := range vars {
		names = append(names, v)
	}
	o.DefaultAction = seccomp.KillProcess
	p, err := precompiledseccomp.Precompile(name, names, func(v precompiledseccomp.Values) *seccomp.Program {
		allowed, denied := rules(v)
		return &seccomp.Program{Options: o, RuleSets: []seccomp.RuleSet{
			{Rules: denied.Copy(), Action: seccomp.KillProcess},
			{Rules: allowed.Copy(), Action: seccomp.Allow},
		}}
	})
	if err != nil {
		return filter{}, fmt.Errorf("%s: %w", name, err)
	}
	f := filter{Name: name, Vars: p.VarOffsets}
	for _, w := range p.Bytecode32 {
		f.Code = binary.LittleEndian.AppendUint32(f.Code, w)
	}
	return f, nil
}

// check compares the verdicts of the filters in a file with those of new ones.
func check(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var kept filters
	if err := json.Unmarshal(data, &kept); err != nil {
		return err
	}
	fresh, err := compile()
	if err != nil {
		return err
	}
	for _, of := range []struct{ kept, fresh []filter }{{kept.Sentry, fresh.Sentry}, {kept.Gofer, fresh.Gofer}} {
		if len(of.kept) != len(of.fresh) {
			return fmt.Errorf("%s has %d filters, want %d: make it anew", file, len(of.kept), len(of.fresh))
		}
		for i := range of.fresh {
			if err := same(of.kept[i], of.fresh[i]); err != nil {
				return fmt.Errorf("%s: %w: make it anew", file, err)
			}
		}
	}
	return nil
}

// What a check tries.
const (
	calls  = 512  // system calls, by number
	drawn  = 2000 // with so many arguments each
	number = 4242
)

func same(a, b filter) error {
	if a.Name != b.Name {
		return fmt.Errorf("a filter is for %s, want %s", a.Name, b.Name)
	}
	pa, pool, err := a.program()
	if err != nil {
		return err
	}
	pb, more, err := b.program()
	if err != nil {
		return err
	}
	pool = append(pool, more...)
	slices.Sort(pool)
	pool = slices.Compact(pool)
	r := rand.New(rand.NewPCG(1, 1))
	for call := range uint32(calls) {
		for n := range drawn {
			in := binary.NativeEndian.AppendUint32(nil, call)
			in = binary.NativeEndian.AppendUint32(in, pool[r.IntN(len(pool))]) // the architecture
			if n > 0 {
				binary.NativeEndian.PutUint32(in[4:], architecture(pool))
			}
			for range 14 { // the instruction's address, and six arguments
				in = binary.NativeEndian.AppendUint32(in, []uint32{0, pool[r.IntN(len(pool))]}[r.IntN(2)])
			}
			va, errA := bpf.Exec[bpf.NativeEndian](pa, in)
			vb, errB := bpf.Exec[bpf.NativeEndian](pb, in)
			if errA != nil || errB != nil || va != vb {
				return fmt.Errorf("%s: system call %d with %x: %#x (%v), want %#x (%v)", a.Name, call, in[16:], va, errA, vb, errB)
			}
		}
	}
	return nil
}

// architecture is the number that a filter wants first, an AUDIT_ARCH.
func architecture(pool []uint32) uint32 {
	for _, v := range pool {
		if v == 0xc000003e || v == 0xc00000b7 {
			return v
		}
	}
	return 0
}

// program is the filter of a process, and the numbers in it.
func (f filter) program() (p bpf.Program, numbers []uint32, err error) {
	w := precompiledseccomp.Program{Name: f.Name, VarOffsets: f.Vars}
	values := precompiledseccomp.Values{}
	for i := 0; i+4 <= len(f.Code); i += 4 {
		w.Bytecode32 = append(w.Bytecode32, binary.LittleEndian.Uint32(f.Code[i:]))
	}
	for name := range f.Vars {
		values[name] = number
	}
	code, err := w.RenderInstructions(values)
	if err != nil {
		return p, nil, err
	}
	for _, i := range code {
		numbers = append(numbers, i.K)
	}
	p, err = bpf.Compile(code, false)
	return p, numbers, err
}
