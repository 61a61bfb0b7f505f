package sallyport.rules.baseline

# METADATA
# title: Uses something that nobody has classified
# description: |
#   The symbol or module is not in the capability catalog: it is neither known to be harmful
#   nor harmless.
# custom:
#   id: unknown
#   severity: low
#   cwe: CWE-1104
#   controls: [NIST 800-53 CM-8]
#   remediation: See whether the name is right; ask for it to be added to a catalog, or use the standard library.
warn contains {
	"rule": "unknown",
	"symbol": name,
	"message": sprintf("%s is not in the capability catalog", [name]),
} if {
	some name in input.capabilities.unknown
	not name in given
	not beside(name)
}

# METADATA
# title: Loads a file that did not come with it
# description: |
#   Files are judged with the program that they are given with, and a run has no others.
# custom:
#   id: file-not-given
#   severity: low
#   controls: [NIST 800-53 CM-8]
#   remediation: Give the file with the program, in the files of the call, or with --file PATH=NAME of sallyport run, where NAME is with its directories.
warn contains {
	"rule": "file-not-given",
	"symbol": name,
	"message": sprintf("%s is a file that did not come with the program", [name]),
} if {
	some name in input.capabilities.unknown
	beside(name)
	not name in given
}

# METADATA
# title: Imports every name of a module
# description: |
#   What a star import brings is not known.
# custom:
#   id: dynamic-star
#   severity: medium
#   remediation: Import the names that are used.
warn contains {
	"rule": "dynamic-star",
	"span": span,
	"message": "a star import of a module that is not known could bring any name",
} if {
	some span in input.source.dynamic.star
}

# METADATA
# title: Treats a namespace as data
# description: |
#   Names that are looked up in globals(), vars() or __dict__ do not stand in the source.
# custom:
#   id: dynamic-namespace
#   severity: medium
#   cwe: CWE-470
#   remediation: Use a dictionary of your own.
warn contains {
	"rule": "dynamic-namespace",
	"span": span,
	"message": "a namespace is used as data here, so that names can be used that the source does not show",
} if {
	some span in input.source.dynamic.namespace
}

# METADATA
# title: Is hard to read
# description: |
#   Legal, but written so that people may misread it.
# custom:
#   id: hygiene
#   severity: low
#   cwe: CWE-1007
warn contains {
	"rule": "hygiene",
	"span": problem.span,
	"message": problem.message,
} if {
	some problem in input.source.hygiene
}

# METADATA
# title: Looks at its surroundings
# description: |
#   Environment variables, the user and the host can tell more than a program needs. The
#   sandbox shows it next to nothing.
# custom:
#   id: environment
#   severity: low
#   cwe: CWE-526
#   controls: [NIST 800-53 AU-12]
log contains {
	"rule": "environment",
	"symbol": name,
	"message": sprintf("%s looks at or changes the environment", [name]),
} if {
	some name in input.capabilities.environment
}

# METADATA
# title: Handles signals
# description: |
#   A program that ignores signals can only be killed, which the sandbox does.
# custom:
#   id: signals
#   severity: low
#   controls: [NIST 800-53 AU-12]
log contains {
	"rule": "signals",
	"symbol": name,
	"message": sprintf("%s handles or sends signals", [name]),
} if {
	some name in signalling
}

# METADATA
# title: Starts threads
# description: |
#   Threads share the limits of the run.
# custom:
#   id: threads
#   severity: low
#   controls: [NIST 800-53 AU-12]
log contains {
	"rule": "threads",
	"symbol": name,
	"message": sprintf("%s starts threads or workers", [name]),
} if {
	some name in input.capabilities.thread
}

# What sends or answers signals.
signalling contains name if some name in input.capabilities.signals

# In JavaScript a signal is an event of the process, among others.
signalling contains name if {
	some name in [
		"globalThis.process.on", "globalThis.process.once", "globalThis.process.addListener",
		"globalThis.process.prependListener", "globalThis.process.prependOnceListener",
	]
	some use in input.source.uses[name]
	use.how != "import"
	not another_event(use)
}

# Node begins to answer one when it is told that somebody listens for it, whoever tells it.
signalling contains name if {
	name := "globalThis.process.emit"
	some use in input.source.uses[name]
	use.how != "import"
	not tells_of_another(use)
}

# Who is told that a listener goes away gets that: one of Node's own answers signals.
another_event(use) if {
	use.how == "call"
	not use.splat
	is_string(use.args[0].value)
	not startswith(use.args[0].value, "SIG")
	use.args[0].value != "removeListener"
}

# Arguments behind those that a spread brings are not among these.
tells_of_another(use) if {
	use.how == "call"
	is_string(use.args[0].value)
	use.args[0].value != "newListener"
}

# The modules that come with the program, which are judged as it is.
given contains module if {
	input.source.language == "python"
	some stem in stems
	module := replace(stem, "/", ".")
}

given contains module if {
	input.source.language != "python"
	some stem in stems
	some end in {"", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"}
	module := concat("", ["./", stem, end])
}

# What a program in JavaScript loads by its place is a file of its own.
beside(name) if {
	input.source.language != "python"
	regex.match(`^\.\.?/`, name)
}

stems contains found[1] if {
	some file in input.request.files
	found := regex.find_all_string_submatch_n(`^(.+?)(/__init__|/index)?\.(py|[mc]?[jt]s)$`, file.path, 1)[0]
}
