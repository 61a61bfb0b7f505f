def f(): pass
f.__builtins__["__import__"]("os").system("true")
