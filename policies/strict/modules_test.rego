package sallyport.rules.strict_test

import data.sallyport.rules.strict

test_listed[language] if {
	some language, modules in {"python": ["json", "math", "os.path"], "javascript": ["node:path", "node:util"]}
	found := strict.deny with input.source.language as language with input.source.imports as modules
	count(found) == 0
}

test_not_listed[language] if {
	some language, module in {"python": "subprocess", "javascript": "node:child_process"}
	found := strict.deny with input.source.language as language with input.source.imports as [module]
	{[f.rule, f.symbol] | some f in found} == {["module-not-listed", module]}
}
