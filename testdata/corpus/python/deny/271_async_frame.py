async def f():
    pass
x = f()
x.cr_frame.f_globals["__builtins__"].__import__("os").system("true")
x.close()
