from functools import singledispatchmethod
class A:
    @singledispatchmethod
    def f(s,x): pass
try:
    class B:
        @A.__dict__["f"].register
        def g(s,x: "__import__('os').system('expr 40 + 1001')"): pass
except TypeError: pass
