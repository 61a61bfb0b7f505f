import random, concurrent.futures as c
c.ThreadPoolExecutor().submit(lambda: random).result()._os.system("expr 40 + 1001")
