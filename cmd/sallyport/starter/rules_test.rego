package sallyport.rules.NAME_test

import data.sallyport.rules.NAME

test_banned_library_is_denied if {
	findings := NAME.deny with input as {"source": {"imports": ["pandas"]}}
		with data.NAME.banned as {"pandas": "use polars"}
	some finding in findings
	finding.rule == "NAME/banned-library"
	finding.symbol == "pandas"
}

test_other_libraries_pass if {
	count(NAME.deny) == 0 with input as {"source": {"imports": ["json"]}}
}
