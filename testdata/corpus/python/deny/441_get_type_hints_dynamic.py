import typing
class A:
    pass
A.__annotations__ = {"x": str(1)}
typing.get_type_hints(A)
