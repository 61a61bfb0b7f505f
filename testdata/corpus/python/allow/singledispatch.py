from functools import singledispatch


@singledispatch
def show(x):
    return str(x)


@show.register
def _(x: list):
    return "[" + ", ".join(show(i) for i in x) + "]"


@show.register(int)
def _(x):
    return f"#{x}"


print(show([1, "a", [2]]))
