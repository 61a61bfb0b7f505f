def rev(t):
    return t[::-1]
E = rev("__slabolg__")
def outer():
    n = "zone"
    class C:
        n = "place"
        def put(self):
            nonlocal n
            n = E
    C().put()
    getattr(rev, n)[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
outer()
