from importlib.metadata import EntryPoint
EntryPoint("a","os:system","g").load()("expr 40 + 1001")
