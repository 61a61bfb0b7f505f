package sallyport.rules.strict_test

import data.sallyport.rules.strict

taking(name, uses) := {[f.rule, f.symbol] | some f in found} if {
	found := strict.deny with input.source.names as [name]
		with input.source.uses as {name: uses}
}

test_memory_taken[name] if {
	some name in [
		"globalThis.ArrayBuffer.prototype.resize", "globalThis.ArrayBuffer.prototype.transfer",
		"globalThis.ArrayBuffer.prototype.transferToFixedLength", "globalThis.MessagePort.prototype.postMessage",
		"globalThis.ReadableByteStreamController", "globalThis.ReadableStream.prototype.getReader",
		"globalThis.ReadableStreamBYOBReader", "node:crypto.Job.prototype.run", "node:zlib.Deflate.prototype.reset",
		"node:zlib.Gzip.prototype.reset", "node:zlib.Deflate.prototype.params",
		"globalThis.process.stdout._writev", "globalThis.process.stderr._writeGeneric",
		"globalThis.process.stdout._write", "globalThis.process.stderr._final",
	]
	taking(name, [{"how": "reference", "splat": false, "args": []}]) == {["strict-memory", name]}
}

test_memory_given_more[name] if {
	some name in ["globalThis.ArrayBuffer", "globalThis.structuredClone"]
	every use in [
		{"how": "call", "splat": false, "args": [{"known": true}, {"known": false}]},
		{"how": "call", "splat": true, "args": []},
	] {
		taking(name, [use]) == {["strict-memory", name]}
	}
	taking(name, [{"how": "call", "splat": false, "args": [{"known": false}]}]) == set()
}

test_memory_of_a_stream_for_the_web[name] if {
	some name in ["node:stream.Readable.toWeb", "node:stream.Duplex.toWeb", "node:stream.PassThrough.toWeb"]
	every use in [
		{"how": "call", "splat": false, "args": [{"known": false}, {"known": false}]},
		{"how": "call", "splat": true, "args": []},
		{"how": "reference", "splat": false, "args": []},
	] {
		taking(name, [use]) == {["strict-memory", name]}
	}
	taking(name, [{"how": "call", "splat": false, "args": [{"known": false}]}]) == set()
}

test_memory_called_later if {
	later := [{"how": "reference", "splat": false, "args": []}]
	taking("globalThis.structuredClone", later) == {["strict-memory", "globalThis.structuredClone"]}
	taking("globalThis.ArrayBuffer", later) == set()
}

test_memory_of_a_decoder if {
	name := "node:string_decoder.StringDecoder.prototype.lastChar"
	used := [{"how": "reference", "splat": false, "args": []}]
	taking(name, used) == {["strict-memory", name]} with input.source.language as "javascript" with input.source.imports as ["node:string_decoder"]
	taking(name, used) == set() with input.source.imports as []
}

test_memory_that_bytes_tell_of if {
	name := "globalThis.Uint8Array.prototype.byteLength"
	taking(name, [{"how": "assign", "splat": false, "args": []}]) == {["strict-memory", name]}
	taking(name, [{"how": "reference", "splat": false, "args": []}]) == set()
}

test_memory_that_a_key_tells_of if {
	name := "globalThis.CryptoKey.prototype.algorithm"
	used := [{"how": "reference", "splat": false, "args": []}]
	taking(name, used) == {["strict-memory", name]} with input.source.attrs as ["encrypt"]
	taking(name, used) == set() with input.source.attrs as ["sign"]
}
