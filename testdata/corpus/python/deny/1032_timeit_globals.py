import timeit, os
timeit.timeit(lambda: os.system("expr 40 + 1001"),number=1)
