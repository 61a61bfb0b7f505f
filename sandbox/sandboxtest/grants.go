package sandboxtest

import (
	"fmt"

	"sallyport/sandbox"
)

// grantRows are programs that try what a grant can give, in a sandbox that was
// granted nothing because nobody said anything: each attempt is impossible, and
// what is said of the run says so.
func grantRows() []Row {
	row := func(c sandbox.Capability, control sandbox.Control, language, company, code string) Row {
		return Row{Name: fmt.Sprintf("nothing granted: %s, %s", c, language), Company: company, Control: control, Language: language, Code: code, Bare: true, Want: heldBy(control)}
	}
	const py, js = "python", "javascript"
	return []Row{
		row(sandbox.CapabilityProcess, sandbox.ControlProcess, py, bareOfAll, processes),
		row(sandbox.CapabilityProcess, sandbox.ControlProcess, js, "", `
const cp = require("child_process");
const run = [() => cp.execSync("true"), () => cp.execFileSync(process.execPath, ["-e", "1"]), () => cp.spawnSync("/bin/true").error === undefined || fail()];
function fail() { throw new Error(); }
for (const f of run) {
  try { f(); console.log("ran", String(f)); } catch {}
}
console.log("held")`).within(),
		row(sandbox.CapabilityNetwork, sandbox.ControlNetwork, py, bareOfAll, `
import socket
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET, 40):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        try:
            socket.socket(family, kind)
            print("socket", family, kind)
        except OSError:
            pass
print("held")`),
		{Name: "a grant is what is said of the run", Company: forking, Language: py, Code: "print('held')", Edit: allowProcess, Want: func(r sandbox.Result) []string {
			bad := held(r)
			if how := r.Enforced[sandbox.ControlProcess]; how != "" {
				bad = append(bad, fmt.Sprintf("processes were granted, and the result says that they are refused by %q", how))
			}
			return bad
		}},
	}
}

// heldBy wants an attack that got at nothing, and a result that names the
// control.
func heldBy(c sandbox.Control) func(sandbox.Result) []string {
	return func(r sandbox.Result) []string {
		bad := held(r)
		if r.Enforced[c] == "" {
			bad = append(bad, fmt.Sprintf("the result does not say that %q was enforced", c))
		}
		return bad
	}
}
