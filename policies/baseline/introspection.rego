package sallyport.rules.baseline

# METADATA
# title: Reaches into the interpreter
# description: |
#   From frames, globals, loaders and the like everything can be reached that the program does
#   not name.
# custom:
#   id: introspection
#   severity: high
#   capability: introspection
#   cwe: CWE-470
#   controls: [NIST 800-53 AC-6, OWASP ASVS 1.14.5]
#   remediation: Use the values that the program itself defines or imports.
deny contains {
	"rule": "introspection",
	"symbol": name,
	"message": sprintf("%s leads out of the program and into the interpreter", [name]),
} if {
	some name in input.capabilities.introspection
	not only_compared(name)
	not plain_logging(name)
	not own_classes(name)
	not classes_above(name)
	not only_assigned(name)
	not asks_plainly(name)
}

# METADATA
# title: Walks stack frames
# description: |
#   What is reached that way stands nowhere in the source.
# custom:
#   id: dynamic-frame
#   severity: high
#   capability: introspection
#   cwe: CWE-470
#   controls: [NIST 800-53 AC-6]
#   remediation: Pass the values that are needed as arguments.
deny contains {
	"rule": "dynamic-frame",
	"span": span,
	"message": "frames lead from here to the variables of other code, and to every built-in function",
} if {
	some span in input.source.dynamic.frame
}

# METADATA
# title: Walks the class tree or constructors
# description: |
#   What is reached that way stands nowhere in the source.
# custom:
#   id: dynamic-subclass
#   severity: high
#   capability: introspection
#   cwe: CWE-470
#   controls: [NIST 800-53 AC-6]
#   remediation: Name the class that is meant.
deny contains {
	"rule": "dynamic-subclass",
	"span": span,
	"message": "from here every class of the interpreter can be reached, also those that start programs",
} if {
	some span in input.source.dynamic.subclass
}

# METADATA
# title: Walks attributes in a format field
# description: |
#   What is reached that way stands nowhere in the source.
# custom:
#   id: dynamic-format
#   severity: high
#   capability: introspection
#   cwe: CWE-470
#   controls: [NIST 800-53 AC-6]
#   remediation: Read the attribute in the program and format its value.
deny contains {
	"rule": "dynamic-format",
	"span": span,
	"message": "the format field reads attributes of its argument, and so reaches what the program does not name",
} if {
	some span in input.source.dynamic.format
}

# METADATA
# title: Makes or changes code objects
# description: |
#   What is reached that way stands nowhere in the source.
# custom:
#   id: dynamic-bytecode
#   severity: high
#   capability: introspection
#   cwe: CWE-470
#   controls: [NIST 800-53 AC-6]
#   remediation: Write the function out.
deny contains {
	"rule": "dynamic-bytecode",
	"span": span,
	"message": "code objects are made or changed here, so that what runs is not what stands in the source",
} if {
	some span in input.source.dynamic.bytecode
}

# METADATA
# title: Uses a member whose name is not constant
# description: |
#   What is reached that way stands nowhere in the source.
# custom:
#   id: dynamic-member
#   severity: high
#   capability: introspection
#   cwe: CWE-470
#   controls: [NIST 800-53 AC-6]
#   remediation: Name the member, or look it up in a table of the ones that may be meant.
deny contains {
	"rule": "dynamic-member",
	"span": span,
	"message": "which member is meant cannot be known, so that it could be one that is denied",
} if {
	some span in input.source.dynamic.member
}

# METADATA
# title: Can be read in two ways
# description: |
#   Two readers of the same text could disagree about what is code.
# custom:
#   id: ambiguous
#   severity: high
#   cwe: CWE-436
#   controls: [NIST 800-53 AC-6]
#   remediation: Choose another name.
deny contains {
	"rule": "ambiguous",
	"span": span,
	"message": "await or yield is used as a name here, and what follows could be code or a pattern",
} if {
	some span in input.source.dynamic.await
}

# METADATA
# title: Changes modules, built-ins or prototypes
# description: |
#   What other code finds there afterwards is not what it expects.
# custom:
#   id: dynamic-patch
#   severity: high
#   capability: introspection
#   cwe: CWE-1321
#   remediation: Call a function of your own in its place, and leave alone what all code shares.
deny contains {
	"rule": "dynamic-patch",
	"span": span,
	"message": "something that all code shares is changed here",
} if {
	some span in input.source.dynamic.patch
	not span in replaced_printers
}

# METADATA
# title: Calls what two unknown keys lead to
# description: |
#   Any value leads to the constructor of functions in two steps, and so to text that becomes code.
# custom:
#   id: dynamic-computed
#   severity: high
#   capability: introspection
#   cwe: CWE-470
#   controls: [NIST 800-53 AC-6]
#   remediation: Name the member, or look it up in a table of the ones that may be meant.
deny contains {
	"rule": "dynamic-computed",
	"span": span,
	"message": "which function is called here cannot be known, and it could be the one that makes code from text",
} if {
	some span in input.source.dynamic.computed
}

# METADATA
# title: Hands a powerful module on as a value
# description: |
#   Who has the module has all of its members, whatever they are called.
# custom:
#   id: module-value
#   severity: high
#   capability: introspection
#   cwe: CWE-470
#   controls: [NIST 800-53 AC-6]
#   remediation: Hand on the functions that are needed instead.
deny contains {
	"rule": "module-value",
	"symbol": name,
	"message": sprintf("the module %s is used as a value, and with it each of its members", [name]),
} if {
	some name in module_values
}

# Types that are dangerous to make are harmless to ask for: isinstance(x, types.FunctionType).
only_compared(name) if {
	name in {
		"types.CellType", "types.CodeType", "types.FrameType", "types.FunctionType", "types.LambdaType",
		"types.ModuleType", "types.TracebackType",
	}
	every use in object.get(input.source.uses, name, []) {
		use.how in {"import", "reference"}
	}
}

# Who tells of errors in his own way puts a function there, and does not ask for the one that was.
only_assigned(name) if {
	name in {"sys.excepthook", "threading.excepthook"}
	every use in object.get(input.source.uses, name, []) {
		use.how in {"import", "assign"}
		use.certainty == "exact"
	}
}

# What a logging configuration names, and calls, counts as named and called. Of one that is not known the analysis says
# that it loads modules.
plain_logging("logging.config.dictConfig") if {
	every use in object.get(input.source.uses, "logging.config.dictConfig", []) {
		use.how in {"call", "import"}
	}
}

# Classes below a class of the program are its own. Of any other the analysis says that it walks the class tree.
# It does not see all that is put under the name of the class by way of a namespace, nor what a class method is
# called with that was taken out of its class.
own_classes(".__subclasses__") if {
	count(object.get(input.source.dynamic, "subclass", [])) == 0
	every name in ["builtins.globals", "builtins.locals"] {
		not name in input.source.names
	}
	every use in object.get(input.source.uses, "builtins.vars", []) {
		use.how == "call" # of an object, which is no namespace of names
		count(use.args) == 1
	}
	every attr in ["__func__", "__get__", "__wrapped__"] {
		not attr in input.source.attrs
	}
}

# Classes above do less than the class that is there already. Where one is put there, or a class below one is asked
# for, the analysis says that the class tree is walked.
classes_above(name) if {
	name in {".__mro__", ".__bases__", ".__base__", ".mro", "inspect.getmro"}
	count(object.get(input.source.dynamic, "subclass", [])) == 0
}

# A class that answers for its attributes itself gets at them so. Where it is anything but getattr of the object, the
# analysis says that a member is not known.
asks_plainly(".__getattribute__") if count(object.get(input.source.dynamic, "member", [])) == 0

# Where code is read for more than what its function is called and takes, the analysis says that code is made or changed.
asks_plainly(".__code__") if count(object.get(input.source.dynamic, "bytecode", [])) == 0

module_values contains name if {
	some name in input.source.names
	name in {"builtins", "importlib", "os", "posix", "sys"}
}

# Who wants to see what is printed puts a function of his own in the place of what prints.
replaced_printers contains use.span if {
	some name in {
		"globalThis.console.debug", "globalThis.console.error", "globalThis.console.info", "globalThis.console.log",
		"globalThis.console.warn", "globalThis.process.stderr.write", "globalThis.process.stdout.write",
	}
	some use in input.source.uses[name]
	use.how == "assign"
	use.certainty == "exact"
}
