import contextlib
with contextlib.suppress(ZeroDivisionError):
    1/0
    eval=len
eval("__import__('os').system('expr 40 + 1001')")
