import random, collections
collections.ChainMap({"a":random})["a"]._os.system("expr 40 + 1001")
