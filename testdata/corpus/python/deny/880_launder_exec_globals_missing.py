class D(dict):
    def __missing__(s,k): return __import__("os")
exec("q.system('expr 40 + 1001')",{},D())
