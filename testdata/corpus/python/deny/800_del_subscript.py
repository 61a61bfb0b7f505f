class D(dict):
    def __delitem__(s,k): eval(k)
d=D(); del d["__import__('os').system('expr 40 + 1001')"]
