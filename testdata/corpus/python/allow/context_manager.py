from contextlib import contextmanager, suppress


@contextmanager
def tag(name):
    print(f"<{name}>")
    yield name
    print(f"</{name}>")


with tag("b") as t:
    print(t)
with suppress(KeyError):
    {}["x"]
