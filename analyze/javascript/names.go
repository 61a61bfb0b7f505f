package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// nodeModule returns the canonical name of a module that Node is asked for:
// its own modules get their prefix, everything else keeps its specifier.
func nodeModule(name string) string {
	if strings.HasPrefix(name, "node:") {
		return name
	}
	if isNodeModule(name) {
		return "node:" + name
	}
	return name
}

func isNodeModule(name string) bool {
	switch name {
	case "assert", "assert/strict", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto",
		"dgram", "diagnostics_channel", "dns", "dns/promises", "domain", "events", "fs", "fs/promises", "http", "http2", "https",
		"inspector", "inspector/promises", "module", "net", "os", "path", "path/posix", "path/win32", "perf_hooks", "process",
		"punycode", "querystring", "readline", "readline/promises", "repl", "stream", "stream/consumers", "stream/promises",
		"stream/web", "string_decoder", "sys", "timers", "timers/promises", "tls", "trace_events", "tty", "url", "util",
		"util/types", "v8", "vm", "wasi", "worker_threads", "zlib":
		return true
	}
	// Node's older internal modules; still loadable, never needed.
	return strings.HasPrefix(name, "_http_") || strings.HasPrefix(name, "_stream_") || strings.HasPrefix(name, "_tls_")
}

// moduleSymbol is what loading a module yields. Some of Node's modules are
// better known as globals, and are the same objects.
func moduleSymbol(module string) string {
	switch module {
	case "node:process":
		return "globalThis.process"
	case "node:console":
		return "globalThis.console"
	case "node:sys":
		return "node:util"
	}
	return module
}

// importMeta is what import.meta yields.
const importMeta = "globalThis.import.meta"

// imports tells whether a call of node i imports a module: of import, or of import.defer and its like, by which a
// newer engine loads a module and does not run it yet.
func imports(t *analyze.Tree, i int) bool {
	if t.Kind(i) == kindMemberExpression {
		o, p := t.Child(i, objectField), t.Child(i, propertyField)
		return o != analyze.NoNode && t.Kind(o) == kindImport && p != analyze.NoNode && t.Source(p) != "meta"
	}
	return t.Kind(i) == kindImport
}

// modulePaths is where require looks for what it is to load.
const modulePaths = "globalThis.module.paths"

// isModuleVariable is true for the names that Node gives every CommonJS module.
func isModuleVariable(name string) bool {
	switch name {
	case "require", "module", "exports", "__filename", "__dirname", "arguments":
		return true
	}
	return false
}

// isModule is true for the name of a module as opposed to a member of one.
func isModule(name string) bool {
	if name == "globalThis" || strings.HasPrefix(name, "globalThis.") {
		return false
	}
	rest := strings.TrimPrefix(name, "node:")
	if rest != name {
		return !strings.Contains(rest, ".")
	}
	return true
}

// isFunction is true for what may be a function: all that the language or Node has but places
// where functions live.
func isFunction(name string) bool {
	switch name {
	case "node:assert", "node:assert/strict", "node:events":
		return true
	case "globalThis.Math", "globalThis.JSON", "globalThis.console", "globalThis.Intl", "globalThis.Atomics":
		return false
	}
	return !isNamespace(name) && !isModule(name) && !prototypeOf(name)
}

// isNamespace is true for an object whose members a policy must tell apart, so
// that losing sight of it, or of which member is meant, matters.
func isNamespace(name string) bool {
	switch name {
	case "globalThis", "globalThis.process", "globalThis.require", "globalThis.module", "globalThis.Reflect",
		"globalThis.WebAssembly", "globalThis.require.cache", "globalThis.require.extensions", "globalThis.arguments",
		"node:fs/promises", "node:module", "node:module.prototype":
		return true
	case "node:path", "node:path/posix", "node:path/win32", "node:assert", "node:assert/strict", "node:events", "node:url",
		"node:querystring", "node:string_decoder", "node:os", "node:buffer", "node:punycode", "node:timers", "node:util/types",
		"node:constants", "node:perf_hooks":
		return false
	}
	return strings.HasPrefix(name, "node:") && isModule(name)
}

// isQuietOwner is true for a global that is only the place where others live:
// mentioning a member does not count as mentioning it.
func isQuietOwner(name string) bool {
	switch name {
	case "globalThis", "globalThis.process", "globalThis.console", "globalThis.Math", "globalThis.JSON", "globalThis.Object",
		"globalThis.Array", "globalThis.String", "globalThis.Number", "globalThis.Promise", "globalThis.Date", "globalThis.Symbol",
		"globalThis.Buffer", "globalThis.Intl", "globalThis.module", "globalThis.require":
		return true
	}
	return isModule(name)
}

// memberSymbol returns the canonical symbol behind a member of a symbol: where
// the same object has several names, the best known one.
func memberSymbol(owner, key string) string {
	switch owner {
	case "globalThis":
		switch key {
		case "globalThis", "global":
			return "globalThis"
		}
	case "globalThis.process":
		if key == "mainModule" {
			return "globalThis.module"
		}
	case "globalThis.console", "node:console":
		switch key {
		case "_stdout", "_stderr":
			return "globalThis.process." + key[1:]
		case "console", "default": // of the module of that name
			return "globalThis.console"
		}
	case "globalThis.require":
		if key == "main" {
			return "globalThis.module"
		}
	case "globalThis.require.cache":
		return "globalThis.module"
	case "globalThis.module":
		switch key {
		case "require":
			return "globalThis.require"
		case "constructor":
			return "node:module"
		case "parent", "children":
			return "globalThis.module"
		}
	case "node:module":
		if key == "Module" {
			return owner
		}
	case "node:module.prototype":
		if key == "require" {
			return "globalThis.require"
		}
	case "node:buffer":
		switch key {
		case "Buffer", "atob", "btoa", "Blob", "File":
			return "globalThis." + key
		}
	case "node:url":
		if key == "URL" || key == "URLSearchParams" {
			return "globalThis." + key
		}
	case "node:timers":
		return "globalThis." + key
	}
	if isTest(owner) && isTest("node:test."+key) {
		return memberSymbol("node:test", key)
	}
	if isModule(owner) {
		if key == "default" || owner == "node:test" && (key == "it" || key == "test") { // which are the module itself
			return owner
		}
		if sub := strings.TrimPrefix(owner, "node:") + "/" + key; isNodeModule(sub) {
			return "node:" + sub
		}
		if owner == "node:assert" && key == "strict" {
			return "node:assert/strict"
		}
	}
	if strings.Contains(owner, key) {
		if parts := strings.Split(owner, "."); slices.Contains(parts, key) && repeats(parts) {
			return owner
		}
	}
	return owner + "." + key
}

// repeats tells whether a name occurs twice among the parts. No catalog lists a symbol where one
// does: the members of such a symbol by the names that lead to it count as itself, so that a loop
// which follows one, as x = x.next, comes to an end.
func repeats(parts []string) bool {
	for i, p := range parts {
		if slices.Contains(parts[i+1:], p) {
			return true
		}
	}
	return false
}

// assertOfTest is what a test has to compare with.
const assertOfTest = "node:test.TestContext.prototype.assert"

// historyOfLines is what keeps the history of lines in a file.
const historyOfLines = "node:readline.Interface.prototype.historyManager"

// These are objects in machine code: one watches any file, one compresses. The class of a directory lists any below one that
// it is told of.
const (
	handleOfWatcher  = "node:fs.FSWatcher.prototype._handle"
	handleOfZlib     = "node:zlib.ZlibBase.prototype._handle"
	classOfDirectory = "node:fs.Dir"
)

// isLines is true for the classes whose objects read lines.
func isLines(name string) bool {
	return name == "node:readline.Interface" || name == "node:readline/promises.Interface"
}

// insideOf returns the member that leads inside of what a function or class of Node's gives, or "": to the history of
// lines, which writes a file, to an object in machine code, which watches any, or to the class of a directory.
func insideOf(name string) string {
	switch owner, key, _ := cutLast(name); {
	case isLines(name), isLines(owner+".Interface") && key == "createInterface":
		return historyOfLines
	case name == "node:fs.watch", name == "node:fs.watchFile":
		return handleOfWatcher
	case isStreamOfZlib(name):
		return handleOfZlib
	case strings.HasPrefix(name, "node:fs") && (key == "opendir" || key == "opendirSync"):
		return classOfDirectory
	}
	return ""
}

// What Node goes on by while it reads a file, or looks for a pattern: it calls functions of that which it is given.
const (
	contextOfRead = "node:fs.ReadFileContext"
	searchOfGlob  = "node:fs.Glob"
)

// emitterOfWarning is what a warning of too many listeners is about: the process, where these are its own.
const emitterOfWarning = "node:events.MaxListenersExceededWarning.prototype.emitter"

// callsOfInside returns the name of what a function calls functions of, where that is to be had nowhere else, or "".
func callsOfInside(name string) string {
	switch {
	case name == "node:fs.readFile":
		return contextOfRead
	case globs[name]:
		return searchOfGlob
	}
	return ""
}

// methodOfAll returns the name of a method of lists, or of all objects, that is read of the prototype, or "".
func methodOfAll(name string) string {
	owner, key, _ := cutLast(name)
	if owner == "globalThis.Array.prototype" || owner == "globalThis.Object.prototype" {
		return key
	}
	return ""
}

// leadsInside is true for a method, of what a member leads to, that does what nobody may do: whatever is asked for it may
// be that. What many things have besides is left to the hooks.
func leadsInside(inside, key string) bool {
	switch inside {
	case emitterOfWarning:
		return key == "emitter"
	case historyOfLines:
		return key == "initialize"
	case handleOfWatcher:
		return key == "start"
	case handleOfZlib:
		return key == "init" || key == "writeSync"
	case classOfDirectory: // by which a directory lists what it is told to be one
		return key == "processReadResult" || key == "readSyncRecursive"
	}
	return false
}

// isTest is true for the functions of node:test that are the module itself or have the members
// of it, and for these members.
func isTest(name string) bool {
	switch strings.TrimPrefix(name, "node:test.") {
	case "after", "afterEach", "before", "beforeEach", "default", "describe", "it", "mock", "run", "snapshot", "suite", "test":
		return strings.HasPrefix(name, "node:test.")
	}
	return false
}

// isAddition is true for a member that a prototype or class of the language, or Math, gets besides those that it has, and that nobody
// asks for but by its name: programs write methods so.
func isAddition(owner, key string) bool {
	switch owner {
	case "globalThis.BigInt.prototype":
		return key == "toJSON" || isNewName(key) // for which JSON asks, and which a BigInt has not
	case "globalThis.Array.prototype", "globalThis.Boolean.prototype", "globalThis.Date.prototype", "globalThis.Function.prototype", "globalThis.Map.prototype",
		"globalThis.Number.prototype", "globalThis.Promise.prototype", "globalThis.RegExp.prototype", "globalThis.Set.prototype", "globalThis.String.prototype":
		return isNewName(key)
	case "globalThis.Array", "globalThis.Math", "globalThis.Number", "globalThis.String":
		return isNewName(key) && !hasOfItself(owner, key)
	}
	return false
}

// hasOfItself tells whether a class of the language, or Math, has a member of its own.
func hasOfItself(owner, key string) bool {
	switch owner {
	case "globalThis.Array":
		return key == "from" || key == "fromAsync" || key == "isArray" || key == "of"
	case "globalThis.Math":
		switch key {
		case "E", "LN10", "LN2", "LOG10E", "LOG2E", "PI", "SQRT1_2", "SQRT2", "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt",
			"ceil", "clz32", "cos", "cosh", "exp", "expm1", "f16round", "floor", "fround", "hypot", "imul", "log", "log10", "log1p", "log2", "max", "min",
			"pow", "random", "round", "sign", "sin", "sinh", "sqrt", "sumPrecise", "tan", "tanh", "trunc":
			return true
		}
	case "globalThis.Number":
		switch key {
		case "EPSILON", "MAX_SAFE_INTEGER", "MAX_VALUE", "MIN_SAFE_INTEGER", "MIN_VALUE", "NEGATIVE_INFINITY", "NaN", "POSITIVE_INFINITY", "isFinite",
			"isInteger", "isNaN", "isSafeInteger", "parseFloat", "parseInt":
			return true
		}
	case "globalThis.String":
		return key == "fromCharCode" || key == "fromCodePoint" || key == "raw"
	}
	return false
}

// isNewName is true for a name of which neither what the language makes has a member, nor who looks at objects for it asks.
func isNewName(key string) bool {
	switch key {
	case "", "arguments", "buffer", "byteLength", "byteOffset", "caller", "configurable", "constructor", "description", "done", "dotAll", "enumerable", "flags", "global",
		"groups", "hasIndices", "ignoreCase", "index", "input", "length", "message", "multiline", "name", "prototype", "push", "size", "source", "sticky", "unicode",
		"unicodeSets", "unshift", "writable":
		return false
	}
	return !isIndex(key) && !isLanguageMethod(key) && !keepsGiven(key) && !isAsked(key) && !isHandler(key) && !isConverter(key) && !isListening(key) && !strings.HasPrefix(key, reserved) && !strings.HasPrefix(key, "_")
}

// isLanguageMethod is true for methods that the language gives its values, or Node its
// emitters and streams.
func isLanguageMethod(key string) bool {
	switch key {
	case "add", "apply", "at", "bind", "call", "catch", "charAt", "charCodeAt", "clear", "codePointAt", "concat", "copyWithin", "delete", "endsWith", "entries",
		"every", "exec", "fill", "filter", "finally", "find", "findIndex", "findLast", "findLastIndex", "flat", "flatMap", "forEach", "get", "has", "hasOwnProperty",
		"includes", "indexOf", "isPrototypeOf", "isWellFormed", "join", "keys", "lastIndexOf", "localeCompare", "map", "match", "matchAll", "next", "normalize",
		"padEnd", "padStart", "pop", "propertyIsEnumerable", "reduce", "reduceRight", "repeat", "replace", "replaceAll", "return", "reverse", "search",
		"set", "shift", "slice", "some", "sort", "splice", "split", "startsWith", "subarray", "substr", "substring", "test", "then", "throw", "trim",
		"trimEnd", "trimStart", "valueOf", "values", "with",
		"toDateString", "toExponential", "toFixed", "toISOString", "toLocaleDateString", "toLocaleLowerCase", "toLocaleString", "toLocaleTimeString",
		"toLocaleUpperCase", "toLowerCase", "toPrecision", "toReversed", "toSorted", "toSpliced", "toString", "toTimeString", "toUTCString", "toUpperCase",
		"getDate", "getDay", "getFullYear", "getHours", "getMilliseconds", "getMinutes", "getMonth", "getSeconds", "getTime", "getTimezoneOffset", "getUTCDate",
		"getUTCDay", "getUTCFullYear", "getUTCHours", "getUTCMinutes", "getUTCMonth", "getUTCSeconds", "setDate", "setFullYear", "setHours", "setMinutes",
		"setMonth", "setSeconds", "setTime", "setUTCDate", "setUTCFullYear", "setUTCHours", "setUTCMonth",
		"close", "digest", "pipe", "update":
		return true
	}
	return keepsToItself(key)
}

// keepsGiven is true for members under which the library keeps what it was given for itself:
// of errors, signals, events, promises that are settled and what iterators return.
func keepsGiven(key string) bool {
	switch key {
	case "actual", "cause", "detail", "errored", "expected", "listener", "reason", "result", "value":
		return true
	}
	return false
}

// isInert is true for functions that only look at what they are given.
func isInert(name string) bool {
	switch name {
	case "globalThis.JSON.stringify", "globalThis.String", "globalThis.Number", "globalThis.Boolean", "globalThis.Symbol",
		"globalThis.Array.isArray", "globalThis.parseInt", "globalThis.parseFloat", "globalThis.isNaN", "globalThis.BigInt",
		"globalThis.Object.keys", "globalThis.Object.is", "globalThis.Object.hasOwn", "globalThis.Error", "globalThis.TypeError",
		"globalThis.RangeError", "node:util.inspect", "node:util.format",
		"node:util.isDeepStrictEqual", "globalThis.Object.getOwnPropertyNames":
		return true
	}
	owner, key, _ := cutLast(name)
	switch {
	case owner == "globalThis.console":
		return isConsole(key)
	case isPath(owner):
		return isPathFunction(key)
	}
	return owner == "globalThis.Math" || strings.HasPrefix(name, "globalThis.Number.") || strings.HasPrefix(name, "node:assert")
}

// isConsole is true for the functions of a console that print.
func isConsole(key string) bool {
	switch key {
	case "assert", "clear", "count", "countReset", "debug", "dir", "dirxml", "error", "group", "groupCollapsed", "groupEnd", "info",
		"log", "table", "time", "timeEnd", "timeLog", "timeStamp", "trace", "warn":
		return true
	}
	return false
}

// isPath is true for the modules of paths, by all of their names.
func isPath(owner string) bool {
	for _, end := range []string{".posix", ".win32", "/posix", "/win32"} {
		owner = strings.TrimSuffix(owner, end)
	}
	return owner == "node:path"
}

// isPathFunction is true for functions of paths that give back none of what they are given but text.
func isPathFunction(key string) bool {
	switch key {
	case "basename", "dirname", "extname", "isAbsolute", "join", "matchesGlob", "normalize", "parse", "relative", "resolve":
		return true
	}
	return false
}

// consoleDir shows its first argument as the second says, by functions in that, too.
const consoleDir = "globalThis.console.dir"

// isQuietInert is true for inert functions that are so with all of their
// arguments; others take callbacks or containers after the first.
func isQuietInert(name string) bool {
	return name != "globalThis.JSON.stringify" && name != "node:util.inspect" && name != consoleDir && !strings.HasSuffix(name, "Error")
}

// isBuiltinGlobal is true for a global that the language or Node defines and
// that a program has reason to change only to harm.
func isBuiltinGlobal(name string) bool {
	switch name {
	case "eval", "Function", "Object", "Array", "String", "Number", "Boolean", "Symbol", "Promise", "Proxy", "Reflect", "JSON",
		"Math", "Date", "RegExp", "Error", "Map", "Set", "WeakMap", "WeakSet", "process", "global", "globalThis", "require",
		"module", "console", "Buffer", "fetch", "setTimeout", "setInterval", "setImmediate", "queueMicrotask", "WebAssembly",
		"structuredClone", "atob", "btoa", "URL", "Worker", "WebSocket", "performance", "crypto", "parseInt", "parseFloat",
		"isNaN", "encodeURIComponent", "decodeURIComponent", "BigInt", "Intl", "Atomics", "SharedArrayBuffer", "ArrayBuffer":
		return true
	}
	return false
}

// isNodeGlobal is true for every name that a script finds without declaring
// it and that a policy may have something to say about.
func isNodeGlobal(name string) bool {
	switch name {
	case "EventSource", "BroadcastChannel", "MessageChannel", "navigator", "localStorage", "sessionStorage", "CustomEvent":
		return true
	}
	return isBuiltinGlobal(name) || isModuleVariable(name)
}

// isPatch is true when assigning to owner.key changes what other code does, as
// opposed to a setting that is made to be set.
func isPatch(owner, key string) bool {
	if isPrivate(key) {
		return false
	}
	switch owner {
	case "globalThis.process":
		return key != "exitCode" && key != "title"
	case "globalThis.process.env", "globalThis.Error":
		return key == "prepareStackTrace"
	}
	if rest, ok := strings.CutPrefix(owner, "globalThis."); ok {
		first, _, _ := strings.Cut(rest, ".")
		return isBuiltinGlobal(first)
	}
	return owner == "globalThis" || strings.HasPrefix(owner, "node:")
}

// isPrivate is true for names that only a class of the program gives its members.
func isPrivate(key string) bool { return strings.HasPrefix(key, privatePrefix) }

// isPlainObject is true for a global that is an object and no function.
func isPlainObject(name string) bool {
	switch name {
	case "globalThis.console", "globalThis.Math", "globalThis.JSON", "globalThis.Intl", "globalThis.process.env",
		"globalThis.process.argv", "globalThis.process.versions", "globalThis.performance", "globalThis.crypto":
		return true
	}
	return false
}
