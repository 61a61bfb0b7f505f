def rev(t):
    return t[::-1]
E = rev("__slabolg__")
import abc, collections, logging
class C(collections.namedtuple("N", [rev("reganam")]), abc.ABC): pass
C.register(logging.Logger)
match logging.getLogger("x"):
    case C(m):
        print(m and "1041")
