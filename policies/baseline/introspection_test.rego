package sallyport.rules.baseline_test

import data.sallyport.rules.baseline

test_introspection if {
	found := baseline.deny with input.capabilities.introspection as ["some.name"]
	{[f.rule, f.symbol] | some f in found} == {["introspection", "some.name"]}
}

test_introspection_not_mentioned if {
	found := baseline.deny with input.capabilities.introspection as []
	count(found) == 0
}

test_type_asked_for if {
	found := baseline.deny with input.capabilities.introspection as ["types.ModuleType"]
		with input.source.uses as {"types.ModuleType": [{"how": "reference"}]}
	count(found) == 0
}

test_type_made if {
	found := baseline.deny with input.capabilities.introspection as ["types.ModuleType"]
		with input.source.uses as {"types.ModuleType": [{"how": "reference"}, {"how": "call"}]}
	{f.rule | some f in found} == {"introspection"}
}

test_dynamic[kind] if {
	rules := {
		"frame": "dynamic-frame", "subclass": "dynamic-subclass", "format": "dynamic-format",
		"bytecode": "dynamic-bytecode", "member": "dynamic-member", "await": "ambiguous", "patch": "dynamic-patch", "computed": "dynamic-computed",
	}
	some kind, rule in rules
	found := baseline.deny with input.source.dynamic as {kind: [{"line": 7}]}
	{[f.rule, f.span.line] | some f in found} == {[rule, 7]}
}

test_asks_plainly[asked] if {
	some asked, kind in {".__getattribute__": "member", ".__code__": "bytecode"}
	found := baseline.deny with input.capabilities.introspection as [asked]
		with input.source.dynamic as {"attribute": [{"line": 3}]}
	count(found) == 0
	other := baseline.deny with input.capabilities.introspection as [asked]
		with input.source.dynamic as {kind: [{"line": 3}]}
	{f.rule | some f in other} == {"introspection", concat("-", ["dynamic", kind])}
}

test_printer_replaced[how] if {
	at := {"line": 3}
	some how, denied in {"exact": 0, "possible": 1}
	found := baseline.deny with input.source.dynamic as {"patch": [at]}
		with input.source.uses as {"globalThis.console.log": [{"how": "assign", "certainty": how, "span": at}]}
	count(found) == denied
}

test_printer_replaced_beside_other if {
	found := baseline.deny with input.source.dynamic as {"patch": [{"line": 3}, {"line": 4}]}
		with input.source.uses as {"globalThis.process.stdout.write": [{"how": "assign", "certainty": "exact", "span": {"line": 3}}]}
	{[f.rule, f.span.line] | some f in found} == {["dynamic-patch", 4]}
}

test_module_value if {
	found := baseline.deny with input.source.names as ["os", "os.getcwd", "json"]
	{[f.rule, f.symbol] | some f in found} == {["module-value", "os"]}
}

test_logging_configuration if {
	configured := ["logging.config.dictConfig"]
	called := baseline.deny with input.capabilities.introspection as configured
		with input.source.uses as {"logging.config.dictConfig": [{"how": "call"}]}
	count(called) == 0
	handed_on := baseline.deny with input.capabilities.introspection as configured
		with input.source.uses as {"logging.config.dictConfig": [{"how": "call"}, {"how": "reference"}]}
	{f.rule | some f in handed_on} == {"introspection"}
}

test_classes_above[name] if {
	some name in [".__mro__", ".__bases__", ".__base__", ".mro", "inspect.getmro", ".__subclasses__"]
	alone := baseline.deny with input.capabilities.introspection as [name] with input.source.dynamic as {} with input.source.names as []
		with input.source.uses as {} with input.source.attrs as []
	count(alone) == 0
	beside := baseline.deny with input.capabilities.introspection as [name]
		with input.source.dynamic as {"subclass": [{"line": 3}]}
	{f.rule | some f in beside} == {"introspection", "dynamic-subclass"}
}

test_classes_in_a_namespace[name] if {
	some name in ["builtins.globals", "builtins.locals"]
	found := baseline.deny with input.capabilities.introspection as [".__subclasses__"]
		with input.source.dynamic as {} with input.source.names as [name] with input.source.uses as {}
	{f.rule | some f in found} == {"introspection"}
}

test_classes_in_fields if {
	of_object := baseline.deny with input.capabilities.introspection as [".__subclasses__"]
		with input.source.dynamic as {} with input.source.names as [] with input.source.attrs as []
		with input.source.uses as {"builtins.vars": [{"how": "call", "args": [{}]}]}
	count(of_object) == 0
	some use in [{"how": "call", "args": []}, {"how": "reference", "args": []}]
	found := baseline.deny with input.capabilities.introspection as [".__subclasses__"]
		with input.source.dynamic as {} with input.source.names as [] with input.source.attrs as []
		with input.source.uses as {"builtins.vars": [use]}
	{f.rule | some f in found} == {"introspection"}
}

test_classes_of_a_method_taken_out[attr] if {
	some attr in ["__func__", "__get__", "__wrapped__"]
	found := baseline.deny with input.capabilities.introspection as [".__subclasses__"]
		with input.source.dynamic as {} with input.source.names as [] with input.source.uses as {}
		with input.source.attrs as [attr]
	{f.rule | some f in found} == {"introspection"}
}

test_error_hook[name] if {
	put := {"how": "assign", "certainty": "exact"}
	some name in ["sys.excepthook", "threading.excepthook"]
	found := baseline.deny with input.capabilities.introspection as [name]
		with input.source.uses as {name: [put]}
	count(found) == 0
	every other in [["assign", "possible"], ["reference", "exact"], ["call", "exact"]] {
		asked := baseline.deny with input.capabilities.introspection as [name]
			with input.source.uses as {name: [put, {"how": other[0], "certainty": other[1]}]}
		{f.rule | some f in asked} == {"introspection"}
	}
}
