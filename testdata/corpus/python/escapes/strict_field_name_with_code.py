import dataclasses
class S(str):
    def isidentifier(self): return True
X = dataclasses.make_dataclass("X", [(S('"+str(__import__("os").system("expr 1000 + 41"))+"'), int)], init=False, eq=False)
print(X())
