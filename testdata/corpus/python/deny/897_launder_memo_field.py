import random, dataclasses
@dataclasses.dataclass
class A:
    m: object = random
dataclasses.asdict
dataclasses.fields(A)[0].default._os.system("expr 40 + 1001")
