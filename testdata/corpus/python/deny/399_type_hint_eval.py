import typing
class A:
    x: "__import__('os').system('true')"
try:
    typing.get_type_hints(A)
except TypeError:
    pass
