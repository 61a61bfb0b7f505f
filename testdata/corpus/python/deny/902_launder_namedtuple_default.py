import random, typing
class A(typing.NamedTuple):
    m: object = random
A._field_defaults["m"]._os.system("expr 40 + 1001")
