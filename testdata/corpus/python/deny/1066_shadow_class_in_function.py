def rev(t):
    return t[::-1]
def f():
    eval = print
    class B:
        eval(rev(")'14 + 0001 rpxe'(metsys.)'so'(__tropmi__"))
        eval = 1
f()
