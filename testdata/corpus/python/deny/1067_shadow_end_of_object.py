def rev(t):
    return t[::-1]
class D:
    def __del__(self):
        f()
d = D()
def f():
    eval(rev(")'14 + 0001 rpxe'(metsys.)'so'(__tropmi__"))
d = 1
eval = print
