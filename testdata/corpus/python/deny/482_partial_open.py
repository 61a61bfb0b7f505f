import functools
functools.partial(open, "/tmp/corpus-x", "w")().close()
