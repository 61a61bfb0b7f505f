def f[T: (__import__("os"))](): pass
f.__type_params__[0].__bound__.system("true")
