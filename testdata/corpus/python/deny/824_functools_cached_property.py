import functools, builtins
class A:
    x=functools.cached_property(lambda s: vars(builtins)["__imp"+"ort__"])
A().x("os").system("expr 40 + 1001")
