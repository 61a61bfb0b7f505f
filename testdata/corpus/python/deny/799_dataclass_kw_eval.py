import dataclasses
dataclasses.make_dataclass("A",[("x","int",dataclasses.field(default=1))],namespace={"__post_init__":lambda s: exec("import os;os.system('expr 40 + 1001')")})()
