def f[T: __import__("os").system("expr 40 + 1001")](): pass
f.__type_params__[0].__bound__
