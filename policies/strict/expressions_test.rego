package sallyport.rules.strict_test

import data.sallyport.rules.strict

asks_columns(method, use) := {f.symbol | some f in found; f.rule == "strict-unknown"} if {
	name := concat("", ["pandas.DataFrame.", method])
	found := strict.deny with input.capabilities as {"unknown": [name]}
		with input.source.uses as {name: [object.union({"how": "call", "splat": false, "args": [], "span": {"line": 1}}, use)]}
}

test_expression[text] if {
	some text in [
		"a > 1.5 and (b == 'x.y') | ~c", "total = price * count", "name in [\"a\", \"b\"]", "-a ** 2 % 3 >= 0",
	]
	asks_columns("query", {"args": [option("", text), option("inplace", true)]}) == set()
	asks_columns("eval", {"args": [option("expr", text)]}) == set()
}

test_expression_with_a_variable if {
	asks_columns("query", {"args": [option("", "a > @limit and b in @names")]}) == set()
	asks_columns("eval", {"args": [option("", "a > @limit")]}) == {"pandas.DataFrame.eval"}
}

test_more_than_an_expression[text] if {
	some text in [
		"@pd.io", "@f(1)", "(@f)(1)", "[@f] [0]", "(@f)\n(1)", "@f (1)", "@f[0]", "a.str.len() > 1", "a.__class__", "__import__('os')", "`a b` > 1",
		"a > 1 # x", "a == 'x\\'", "1.a",
	]
	asks_columns("query", {"args": [option("", text)]}) == {"pandas.DataFrame.query"}
}

test_expression_not_known[note] if {
	some note, use in {
		"text": {"args": [{"name": "", "value": null, "known": false}]},
		"names": {"args": [option("", "a > 1"), option("local_dict", null)]},
		"splat": {"args": [option("", "a > 1")], "splat": true},
		"handed on": {"how": "reference"},
	}
	asks_columns("query", use) == {"pandas.DataFrame.query"}
}
