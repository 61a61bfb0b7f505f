import typing
def f(x: typing.Optional["__import__('os').system('expr 40 + 1001')"]): pass
try: typing.get_type_hints(f)
except Exception: pass
