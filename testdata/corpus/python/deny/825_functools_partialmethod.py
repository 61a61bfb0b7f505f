import functools, os
class A:
    go=functools.partialmethod(lambda self,c: os.system(c),"expr 40 + 1001")
A().go()
