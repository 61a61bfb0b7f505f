package sallyport.rules.house_test

import data.sallyport.rules.house

test_banned_library_is_denied if {
	findings := house.deny with input as {"source": {"imports": ["pandas"]}}
		with data.house.banned as {"pandas": "use polars"}
	some finding in findings
	finding.rule == "house/banned-library"
	finding.symbol == "pandas"
}

test_other_libraries_pass if {
	count(house.deny) == 0 with input as {"source": {"imports": ["json"]}}
}

ids(findings) := {f.rule | some f in findings}

test_card_number if "house/card-number" in ids(house.deny) with input.source.strings as ["4111 1111 1111 1111"]

test_order_number if not "house/card-number" in ids(house.deny) with input.source.strings as ["order 4111"]

test_writes_in_production if {
	found := house.ask with input.request.environment as "production"
		with input.capabilities["filesystem.write"] as ["os.mkdir"]
	"house/approve-writes" in ids(found)
}

test_writes_elsewhere if {
	count(house.ask) == 0 with input.request.environment as "default"
		with input.capabilities["filesystem.write"] as ["os.mkdir"]
}
