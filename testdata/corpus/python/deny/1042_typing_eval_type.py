import typing
r=typing.ForwardRef("__import__('os').system('expr 40 + 1001')")
try: typing._eval_type(r,{}, {})
except Exception: pass
