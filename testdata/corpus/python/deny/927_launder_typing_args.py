import random, typing
typing.get_args(typing.Literal[random])[0]._os.system("expr 40 + 1001")
