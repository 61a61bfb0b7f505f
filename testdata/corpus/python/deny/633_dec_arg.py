import os
def d(m):
    def w(f):
        m.system("true")
        return f
    return w
@d(os)
def g(): pass
