import random, collections
collections.UserDict(a=random).data["a"]._os.system("expr 40 + 1001")
