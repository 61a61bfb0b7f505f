package sallyport.requests.strict_test

import data.sallyport.requests.strict

asking(host) := {f.rule | some f in found} if {
	found := strict.deny with input.egress.host as host with input.source.hosts as ["api.example"]
}

test_named if asking("api.example") == set()

test_not_named[host] if {
	some host in ["evil.example", "x.api.example", ""]
	asking(host) == {"strict-request-host"}
}

# What the engine asks.
answer(host) := effect if {
	effect := data.sallyport.egress.effect with input.egress.host as host
		with input.source.hosts as ["api.example"]
		with input.decision.effect as "allow"
}

test_answers if {
	answer("api.example") == "allow"
	answer("evil.example") == "deny"
}

test_denied_program if {
	effect := data.sallyport.egress.effect with input.egress.host as "api.example"
		with input.source.hosts as ["api.example"]
		with input.decision.effect as "deny"
	effect == "deny"
}
