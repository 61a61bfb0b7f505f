class M(type):
    @classmethod
    def __prepare__(c,n,b): return {"z":__builtins__}
class A(metaclass=M):
    z.exec("import os;os.system('expr 40 + 1001')")
