import random, functools
functools.lru_cache(lambda x:x)(random)._os.system("expr 40 + 1001")
