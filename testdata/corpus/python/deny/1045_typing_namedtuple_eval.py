import typing
class A:
    x: "__import__('os').system('expr 40 + 1001')"
try: typing.get_type_hints(A)
except Exception: pass
