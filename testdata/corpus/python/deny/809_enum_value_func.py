import enum
class E(enum.Enum):
    X=enum.member(eval)
E.X.value("__import__('os').system('expr 40 + 1001')")
