import enum
class E(enum.Enum):
    A=1
    @classmethod
    def _missing_(c,v): eval(v); return c.A
E("__import__('os').system('expr 40 + 1001')")
