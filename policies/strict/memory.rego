package sallyport.rules.strict

# METADATA
# title: Takes memory away from what may be using it
# description: |
#   Parts of the interpreter in machine code go on using a buffer whose memory a program
#   hands on, or makes smaller, and a decoder shows what it counts by.
# custom:
#   id: strict-memory
#   severity: high
#   cwe: CWE-416
#   controls: [NIST 800-53 SI-16]
#   remediation: Copy the bytes instead, and leave a buffer as long as it is.
deny contains {
	"rule": "strict-memory",
	"symbol": name,
	"message": sprintf("%s takes memory away from what may be using it", [name]),
} if {
	some name in taking_memory
}

taking_memory contains name if {
	some name in input.source.names
	name in {
		"globalThis.ArrayBuffer.prototype.resize", "globalThis.ArrayBuffer.prototype.transfer",
		"globalThis.ArrayBuffer.prototype.transferToFixedLength", "globalThis.ArrayBuffer.prototype.transferToImmutable",
		"globalThis.MessagePort.prototype.postMessage",
		"globalThis.ReadableByteStreamController", "globalThis.ReadableStream.prototype.getReader",
		"globalThis.ReadableStreamBYOBReader", "node:crypto.Job.prototype.run",
	}
}

# A stream that is reset, or gets other parameters, has a thread that compresses with it use memory that is gone.
taking_memory contains name if {
	some name in input.source.names
	regex.match(`^node:zlib\.[A-Za-z]+\.prototype\.(reset|params)$`, name)
}

# A standard stream that is a pipe writes what stands in a list, which a program may empty before that is done.
taking_memory contains name if {
	some name in input.source.names
	regex.match(`\._write(v|Generic)$`, name)
	some use in input.source.uses[name]
	use.how != "assign"
}

# What it calls at the end of that it calls of the request, which has the pipe's handle in machine code.
taking_memory contains name if {
	some name in input.source.names
	regex.match(`^globalThis\.process\.std(in|out|err)\._(write|final)$`, name)
	some use in input.source.uses[name]
	use.how != "assign"
}

# What bytes say of how many they are Node believes.
taking_memory contains name if {
	some name in input.source.names
	endswith(name, ".prototype.byteLength")
	some use in input.source.uses[name]
	use.how == "assign"
}

# What a key says that it is Node believes while it encrypts.
taking_memory contains name if {
	name := "globalThis.CryptoKey.prototype.algorithm"
	name in input.source.names
	some attr in {"decrypt", "encrypt", "unwrapKey", "wrapKey"}
	attr in input.source.attrs
}

# Of a decoder, which these modules have.
taking_memory contains name if {
	name := "node:string_decoder.StringDecoder.prototype.lastChar"
	name in input.source.names
	some module in input.source.imports
	module in {"node:crypto", "node:readline", "node:readline/promises", "node:string_decoder"}
}

# Their second argument may say that memory goes elsewhere, or that it may be made smaller.
taking_memory contains name if {
	some name in {"globalThis.ArrayBuffer", "globalThis.structuredClone"}
	some use in input.source.uses[name]
	gives_more(use)
}

# So may the second of these, which make a stream of bytes of one of objects.
taking_memory contains name if {
	some name in input.source.names
	endswith(name, ".toWeb")
	some use in input.source.uses[name]
	gives_more(use)
}

taking_memory contains name if {
	some name in input.source.names
	endswith(name, ".toWeb")
	some use in input.source.uses[name]
	use.how != "call"
}

# Who calls it later decides what it is given.
taking_memory contains name if {
	name := "globalThis.structuredClone"
	some use in input.source.uses[name]
	use.how != "call"
}

gives_more(use) if {
	use.how == "call"
	count(use.args) > 1
}

gives_more(use) if {
	use.how == "call"
	use.splat
}
