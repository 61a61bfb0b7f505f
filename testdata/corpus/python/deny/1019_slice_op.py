class A:
    def __getitem__(s,k): return eval(k.start)
A()["__import__('os').system('expr 40 + 1001')":]
