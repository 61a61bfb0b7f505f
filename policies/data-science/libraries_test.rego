package sallyport.rules["data-science_test"]

import data.sallyport.rules["data-science"] as science

test_library if {
	found := science.deny with input.capabilities.unknown as ["leftpad", "numpy.nothing", ".mine"]
		with input.source.imports as ["leftpad", "numpy", ".mine"]
	{[f.rule, f.symbol] | some f in found} == {["library-not-listed", "leftpad"]}
}

reading(name, arg) := found if {
	found := science.deny with input.capabilities["filesystem.read"] as [name]
		with input.source.uses as {name: [{"args": [arg], "span": {"line": 3}}]}
}

test_pickled_array if {
	{f.rule | some f in reading("numpy.load", {"name": "allow_pickle", "value": true})} == {"pickled-array"}
	{f.rule | some f in reading("numpy.load", {"name": "allow_pickle", "value": null})} == {"pickled-array"}
	count(reading("numpy.load", {"name": "allow_pickle", "value": false})) == 0
}
