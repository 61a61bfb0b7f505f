import random
class M(type):
    @classmethod
    def __prepare__(c,n,b): return {"m":random}
class A(metaclass=M):
    m._os.system("expr 40 + 1001")
