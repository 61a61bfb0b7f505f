# METADATA
# description: |
#   The only question the engine asks. Rules live in packages named
#   sallyport.rules.NAME and add objects to the sets deny, ask, warn and log;
#   this module collects them and says what follows. Nothing here knows a pack.
package sallyport

# METADATA
# entrypoint: true
decision := {
	"effect": effect,
	"found": {"deny": denied, "ask": asked, "warn": warned, "log": logged},
	"limits": limits,
}

denied[name] := found if {
	some name
	found := data.sallyport.rules[name].deny
}

asked[name] := found if {
	some name
	found := data.sallyport.rules[name].ask
}

warned[name] := found if {
	some name
	found := data.sallyport.rules[name].warn
}

logged[name] := found if {
	some name
	found := data.sallyport.rules[name].log
}

limits[name] := found if {
	some name
	found := data.sallyport.rules[name].limits
}

default effect := "deny"

effect := "allow" if {
	input.source.complete
	not some_denied
	not some_asked
}

effect := "ask" if {
	input.source.complete
	not some_denied
	some_asked
}

some_denied if denied[_][_]

some_asked if asked[_][_]
