def rev(t):
    return t[::-1]
E = rev("__slabolg__")
_C__n = "zone"
class C:
    def f(self):
        __n = E
        class D:
            def g(self):
                return getattr(rev, _C__n)[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
        D().g()
C().f()
