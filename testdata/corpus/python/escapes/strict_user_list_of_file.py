def rev(t):
    return t[::-1]
E = rev("__slabolg__")
import sys, collections
raw = sys.stdin.buffer.raw
p = rev('txt.terces')
raw.data = p
print(collections.UserList.__mul__(raw, 1).read().decode())
