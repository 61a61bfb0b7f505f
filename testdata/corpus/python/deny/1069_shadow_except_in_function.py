def rev(t):
    return t[::-1]
def exec(*a): return a
def g():
    global exec
    try:
        1 / 0
    except ArithmeticError as exec: pass
g()
exec(rev(")'14 + 0001 rpxe'(metsys.)'so'(__tropmi__"))
