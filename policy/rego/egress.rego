# What is asked about each request of a running program that the operator's
# egress rules allow. Rules live in packages named sallyport.requests.NAME and
# add objects to the sets deny, ask, warn and log, as those for programs do.
package sallyport

# METADATA
# entrypoint: true
egress := {
	"effect": egress_effect,
	"found": {
		"deny": {name: found | found := data.sallyport.requests[name].deny},
		"ask": {name: found | found := data.sallyport.requests[name].ask},
		"warn": {name: found | found := data.sallyport.requests[name].warn},
		"log": {name: found | found := data.sallyport.requests[name].log},
	},
}

default egress_effect := "deny"

egress_effect := "allow" if {
	input.decision.effect == "allow"
	not denied_request
	not asked_request
}

egress_effect := "ask" if {
	input.decision.effect == "allow"
	not denied_request
	asked_request
}

denied_request if data.sallyport.requests[_].deny[_]

asked_request if data.sallyport.requests[_].ask[_]
