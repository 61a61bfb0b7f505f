import typing
class A: pass
A.__annotations__={"x":"__import__('os').system('expr 40 + 1001')"}
try: typing.get_type_hints(A)
except Exception: pass
