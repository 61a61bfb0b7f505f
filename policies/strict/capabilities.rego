package sallyport.rules.strict

import data.sallyport.rules.baseline

# METADATA
# title: Does more than compute
# description: |
#   Under strict a program may compute, and use files of its own.
# custom:
#   id: strict-capability
#   severity: high
#   cwe: CWE-250
#   controls: [NIST 800-53 AC-6, CM-7]
#   remediation: Leave it out, or ask for another pack.
deny contains {
	"rule": "strict-capability",
	"symbol": name,
	"message": sprintf("%s: strict code may only compute (%s)", [name, capability]),
} if {
	some capability in [
		"code.eval", "code.load", "deserialize", "introspection",
		"native", "network", "process", "thread",
	]
	some name in input.capabilities[capability]
	not let_out(capability, name)
	not shares_nothing_new(capability, name)
}

# METADATA
# title: Looks at its surroundings or changes them
# description: |
#   What a program computes comes from its arguments and its files, and not from where it
#   runs. It is a rule of its own, so that it also holds while the program runs.
# custom:
#   id: strict-environment
#   severity: medium
#   capability: environment
#   cwe: CWE-526
#   controls: [NIST 800-53 AC-6, CM-7]
#   remediation: Put what the program needs into its text or into a file that goes with it.
deny contains {
	"rule": "strict-environment",
	"symbol": name,
	"message": sprintf("%s looks at or changes the environment", [name]),
} if {
	some name in input.capabilities.environment
}

# METADATA
# title: Sends signals, or answers them
# description: |
#   A signal ends a program, or has it do something else, at any moment. It is a rule of its
#   own, so that it also holds while the program runs.
# custom:
#   id: strict-signals
#   severity: high
#   capability: signals
#   cwe: CWE-250
#   controls: [NIST 800-53 AC-6, CM-7]
#   remediation: Leave it out, or ask for another pack.
deny contains {
	"rule": "strict-signals",
	"symbol": name,
	"message": sprintf("%s sends or answers signals", [name]),
} if {
	some name in baseline.signalling
}

# METADATA
# title: Uses something that nobody has classified
# description: |
#   Neither known to be harmful nor harmless is not good enough here.
# custom:
#   id: strict-unknown
#   severity: high
#   cwe: CWE-1104
#   controls: [NIST 800-53 CM-7(5)]
#   remediation: Use a symbol of a listed module.
deny contains {
	"rule": "strict-unknown",
	"symbol": name,
	"message": sprintf("%s is not in the capability catalog", [name]),
} if {
	some name in input.capabilities.unknown
	not plainly_computes(name)
}

# Where programs may reach hosts, clients of HTTP may be used: their requests
# are judged one by one.
let_out("network", name) if {
	input.sandbox.egress
	name in input.capabilities["network.http"]
}

# What numpy reads are numbers, where it is not told to take pickles.
let_out("deserialize", name) if baseline.plain_arrays(name)

# A thread of Python runs what it is given as the program itself would, in the same
# interpreter and under the same limits.
shares_nothing_new("thread", name) if {
	input.source.language == "python"
	some owner in ["threading.Thread", "threading.Timer", "concurrent.futures.ThreadPoolExecutor"]
	name in {owner, concat("", [owner, ".", trim_prefix(name, concat("", [owner, "."]))])}
}
