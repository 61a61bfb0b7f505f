class A:
    import os as __m
    def f(self):
        self.__m.system("true")
A().f()
