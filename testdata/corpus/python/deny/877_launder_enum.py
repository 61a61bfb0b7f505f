import random, enum
class E(enum.Enum):
    A=random
E.A.value._os.system("expr 40 + 1001")
