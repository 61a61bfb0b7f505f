package sallyport.rules.strict

# An expression on the columns of a table that stands there, and calls nothing that has a
# name of its own, computes. What selects rows may compare them with what a variable holds.
plainly_computes(name) if {
	name in {"pandas.DataFrame.eval", "pandas.DataFrame.query"}
	every use in input.source.uses[name] {
		use.how == "call"
		not use.splat
		every i, arg in use.args {
			plain_in_expression(name, i, arg)
		}
	}
}

plain_in_expression(_, _, arg) if {
	object.get(arg, "name", "") == "inplace"
	arg.known
}

plain_in_expression(name, 0, arg) if {
	object.get(arg, "name", "") in {"", "expr"}
	is_string(arg.value)
	not contains(arg.value, "__")
	not regex.match(`[)\]]\s*[(\[]`, arg.value)
	regex.match(sprintf(`^(%s)*$`, [concat("|", columns_alone | {variable | some variable in of_a_variable; endswith(name, ".query")})]), arg.value)
}

columns_alone := {`[\s<>=!&|+*/%~,()\[\]-]`, `[0-9]+(\.[0-9]+)?`, `[A-Za-z][A-Za-z0-9_]*`, `'[^'\\]*'`, `"[^"\\]*"`}

of_a_variable := {`@[A-Za-z][A-Za-z0-9_]*\s*([)\]&|,<>=!+*/-]|$|(and|or|not|in)\b)`}
