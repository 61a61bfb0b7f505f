def rev(t):
    return t[::-1]
eval = print
try:
    1 / 0
except ZeroDivisionError as eval: pass
eval(rev(")'14 + 0001 rpxe'(metsys.)'so'(__tropmi__"))
