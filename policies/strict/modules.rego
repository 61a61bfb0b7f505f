package sallyport.rules.strict

# METADATA
# title: Imports a module that is not on the list
# description: |
#   Lists of known-bad modules age; this one says which are good.
# custom:
#   id: module-not-listed
#   severity: high
#   cwe: CWE-829
#   controls: [NIST 800-53 CM-7(5), ISO 27001 A.8.19]
#   remediation: Use one of the listed modules, put what is yours into the program itself, or ask for another pack.
deny contains {
	"rule": "module-not-listed",
	"symbol": module,
	"message": sprintf("%s is not on the list of modules that strict code may use", [module]),
} if {
	some module in imported
	not module in listed[input.source.language]
	not module in of_libraries
	not asks_hosts(module)
}

imported contains module if some module in input.source.imports

# From a package Python imports its modules by the names of members, too.
imported contains name if {
	input.source.language == "python"
	some name in in_packages
	some use in input.source.uses[name]
	use.how == "import"
}

in_packages := {
	"asyncio.base_events", "asyncio.base_futures", "asyncio.base_subprocess", "asyncio.base_tasks",
	"asyncio.constants", "asyncio.coroutines", "asyncio.events", "asyncio.exceptions", "asyncio.format_helpers",
	"asyncio.futures", "asyncio.graph", "asyncio.locks", "asyncio.log", "asyncio.mixins",
	"asyncio.proactor_events", "asyncio.protocols", "asyncio.queues", "asyncio.runners",
	"asyncio.selector_events", "asyncio.sslproto", "asyncio.staggered", "asyncio.streams", "asyncio.subprocess",
	"asyncio.taskgroups", "asyncio.tasks", "asyncio.threads", "asyncio.timeouts", "asyncio.tools",
	"asyncio.transports", "asyncio.trsock", "asyncio.unix_events", "asyncio.windows_events",
	"asyncio.windows_utils", "collections.abc", "html.entities", "html.parser", "json.decoder", "json.encoder",
	"json.scanner", "json.tool", "logging.config", "logging.handlers", "pathlib.types", "string.templatelib",
	"unittest.async_case", "unittest.case", "unittest.loader", "unittest.mock", "unittest.result",
	"unittest.runner", "unittest.signals", "unittest.suite", "unittest.test", "unittest.util",
}

# A client of HTTP, where programs may reach hosts.
asks_hosts(module) if {
	input.sandbox.egress
	some name in input.capabilities["network.http"]
	below(name, module)
}

below(name, module) if name == module

below(name, module) if startswith(name, sprintf("%s.", [module]))

listed := {
	"python": {
		"__future__", "abc", "argparse", "array", "ast", "base64", "binascii", "bisect", "bz2", "calendar", "cmath", "codecs",
		"collections", "collections.abc", "colorsys", "configparser", "contextlib", "contextvars", "copy", "csv", "dataclasses",
		"datetime", "decimal", "difflib", "enum", "errno", "fnmatch", "fractions", "functools", "getopt", "graphlib", "gzip",
		"hashlib", "heapq", "hmac", "html", "html.entities", "html.parser", "io", "ipaddress", "itertools",
		"json", "json.decoder", "json.encoder", "keyword", "locale", "lzma", "math", "mimetypes", "numbers", "operator", "platform", "plistlib",
		"os", "os.path", "pathlib", "posixpath", "ntpath", "pprint", "queue", "random", "re", "reprlib", "sched", "secrets", "shlex",
		"statistics", "string", "stringprep", "struct", "sys", "textwrap", "time", "timeit", "token", "tokenize", "tomllib",
		"traceback", "types", "typing", "unicodedata", "unittest", "urllib.parse", "uuid", "warnings", "weakref",
		"zlib", "zoneinfo", "asyncio", "xml.etree.ElementTree", "glob", "tempfile", "logging", "threading", "concurrent.futures",
	},
	"javascript": {
		"node:assert", "node:assert/strict", "node:buffer", "node:console", "node:crypto", "node:events",
		"node:fs", "node:fs/promises", "node:path", "node:path/posix", "node:perf_hooks", "node:punycode",
		"node:querystring", "node:readline", "node:readline/promises", "node:stream", "node:stream/consumers",
		"node:stream/promises", "node:string_decoder", "node:test", "node:timers", "node:timers/promises",
		"node:url", "node:util", "node:util/types", "node:zlib",
	},
}
