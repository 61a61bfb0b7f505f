def rev(t):
    return t[::-1]
E = rev("__slabolg__")
n = E
def f():
    n = "zone"
    class C:
        r = getattr(rev, n)[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
        n = 1
f()
