def rev(t):
    return t[::-1]
E = rev("__slabolg__")
_C__n = "zone"
class C:
    def f(self):
        def put():
            nonlocal __n
            __n = E
        __n = "place"
        put()
        class D:
            r = getattr(rev, _C__n)[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
C().f()
