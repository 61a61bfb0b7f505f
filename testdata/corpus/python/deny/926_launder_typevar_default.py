import random
type X = random
X.__value__._os.system("expr 40 + 1001")
