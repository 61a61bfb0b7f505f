package sallyport.rules.strict

# METADATA
# title: Is dynamic where that matters
# description: |
#   What cannot be resolved by reading cannot be judged by reading.
# custom:
#   id: strict-dynamic
#   severity: high
#   cwe: CWE-470
#   controls: [NIST 800-53 SI-10]
#   remediation: Name what is called, read or used as a type, and look up what is chosen at run time in a dictionary of your own.
deny contains {
	"rule": "strict-dynamic",
	"span": span,
	"message": sprintf("this cannot be judged by reading it: %s", [why]),
} if {
	some kind, why in unreadable
	some span in input.source.dynamic[kind]
}

# METADATA
# title: Hands about what leads to all else
# description: |
#   A module, getattr, open, process or the class of an object leads to all others. Such a thing is used
#   where it is named, so that nobody need follow where it goes.
# custom:
#   id: strict-on-the-spot
#   severity: high
#   cwe: CWE-470
#   controls: [NIST 800-53 AC-6]
#   remediation: Call it, or ask it for a member, where it is named; hand on a function of the program instead.
deny contains {
	"rule": "strict-on-the-spot",
	"span": span,
	"message": "this leads to all else, and is handed on or kept, where it should be called or asked for a named member",
} if {
	some span in input.source.dynamic.moved
}

# METADATA
# title: Uses reflection
# description: |
#   Under strict, double-underscore attributes, constructors and the functions that look names
#   up are denied wherever they stand.
# custom:
#   id: strict-reflection
#   severity: high
#   cwe: CWE-470
#   controls: [NIST 800-53 AC-6]
#   remediation: Use the values and functions that the program itself defines.
deny contains {
	"rule": "strict-reflection",
	"symbol": concat("", [".", attr]),
	"message": sprintf(".%s leads from a value to the machinery behind it", [attr]),
} if {
	some attr in walked
}

# METADATA
# title: Looks names up
# description: |
#   These functions find things by a name that the source need not show.
# custom:
#   id: strict-lookup
#   severity: high
#   cwe: CWE-470
#   controls: [NIST 800-53 AC-6]
#   remediation: Name what is meant.
deny contains {
	"rule": "strict-lookup",
	"symbol": name,
	"message": sprintf("%s finds or changes things by name", [name]),
} if {
	some name in looking_up
}

walked contains attr if {
	input.source.language == "python"
	some attr in input.source.attrs
	startswith(attr, "__")
	endswith(attr, "__")
	not attr in harmless
}

walked contains attr if {
	input.source.language == "python"
	some attr in walking
	attr in input.source.attrs
}

walked contains attr if {
	input.source.language == "javascript"
	some attr in prototypes
	attr in input.source.attrs
}

walking := {
	"format_map", "get_field", "gi_running", "mro",
	"tb_lasti", "tb_lineno", "tb_next", "vformat", "with_traceback",
}

# What leads from an object of Node's library to its insides is denied as what leads to a prototype is.
prototypes := {
	"__defineGetter__", "__defineSetter__", "__proto__", "_events", "_handle", "_idleNext", "_idlePrev", "_onImmediate", "_onTimeout", "_outBuffer",
	"_readableState", "_timerArgs", "_writableState", "callee", "caller", "constructor", "defineProperties",
	"getOwnPropertyDescriptor", "getOwnPropertyDescriptors", "getPrototypeOf", "setPrototypeOf", "species",
}

# What a class defines about itself, and what says a name.
harmless := {
	"__name__", "__qualname__", "__doc__", "__init__", "__new__", "__post_init__", "__class__", "__version__",
	"__all__", "__str__", "__repr__", "__len__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__",
	"__iter__", "__next__", "__enter__", "__exit__", "__aenter__", "__aexit__", "__contains__", "__getitem__",
	"__setitem__", "__annotations__", "__delitem__", "__missing__", "__reversed__", "__bool__", "__int__",
	"__float__", "__index__", "__format__", "__ne__", "__radd__", "__iadd__", "__rsub__", "__rmul__",
	"__truediv__", "__floordiv__", "__mod__", "__pow__", "__matmul__", "__and__", "__or__", "__xor__", "__neg__",
	"__pos__", "__abs__", "__invert__", "__round__", "__await__", "__aiter__", "__anext__", "__init_subclass__",
	"__set_name__", "__wrapped__", "__file__", "__main__", "__slots__", "__add__", "__sub__", "__mul__",
	"__call__", "__traceback__", "__cause__", "__context__", "__setattr__",
}

# What getattr, setattr, attrgetter and methodcaller find by a name that is not
# constant is dynamic, and denied as such.
lookups := {
	"builtins.delattr", "builtins.vars", "builtins.globals", "builtins.locals", "builtins.dir",
	"globalThis.Reflect", "globalThis.Proxy", "globalThis.arguments", "globalThis.Object.getPrototypeOf", "globalThis.Object.setPrototypeOf",
	"globalThis.Object.getOwnPropertyDescriptor", "globalThis.Object.getOwnPropertyDescriptors", "globalThis.Object.getOwnPropertyNames", "globalThis.WeakRef",
	"globalThis.FinalizationRegistry", "globalThis.SharedArrayBuffer", "globalThis.Atomics",
}

looking_up contains name if {
	some name in input.source.names
	name in lookups
}

# What it has calls any function, of anything.
looking_up contains name if {
	some name in input.source.names
	startswith(name, "globalThis.Function.prototype")
}

# Among what a test has to compare with are fileSnapshot, which shows any file, and snapshot, which runs one.
looking_up contains ".assert" if {
	"node:test" in input.source.imports
	"assert" in input.source.attrs
}

# Since Node 24 a private key may be a URL: of a file, or of whatever OpenSSL has a loader for.
looking_up contains name if {
	some name in input.source.names
	regex.match(`^node:crypto\.(createPrivateKey|createSign|decapsulate|diffieHellman|privateDecrypt|privateEncrypt|sign|Sign)(\.|$)`, name)
	some url in input.source.names
	regex.match(`^(globalThis\.URL|node:url\.(URL|pathToFileURL))(\.|$)`, url)
}

# It finds tests by the names among the arguments of the program, and calls what has such a name.
looking_up contains name if {
	some name in {"unittest.main", "unittest.TestProgram", "unittest.main.TestProgram"}
	some use in input.source.uses[name]
	use.how == "call"
	not gives_arguments(use)
	some arg in input.request.args
	not regex.match(`^(-[vqfb]+|--(verbose|quiet|failfast|buffer))$`, arg)
}

gives_arguments(use) if {
	some i, arg in use.args
	arguments_of_tests(i, object.get(arg, "name", ""))
	not nothing(arg)
}

arguments_of_tests(2, "")

arguments_of_tests(_, "argv")

unreadable := {
	"attribute": "which attribute or type is used here, or of what, is not known",
	"await": "await or yield is used as a name here",
	"bytecode": "code objects are made or changed here",
	"class": "what is called here is not known, and may be a class that makes others",
	"code": "what becomes code here is not known",
	"computed": "which function is called here is not known",
	"format": "the format text reads attributes of what it is given",
	"frame": "frames of other code are read here",
	"import": "which module is loaded here is not known",
	"member": "which member is used here is not known",
	"namespace": "a namespace is used here, and with it any name",
	"patch": "something that all code shares is changed here",
	"star": "which names are imported here is not known",
	"subclass": "the tree of all classes is walked here",
	"template": "the format text is not known",
}
