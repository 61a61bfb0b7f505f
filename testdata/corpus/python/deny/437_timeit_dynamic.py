import timeit
timeit.timeit(str(1), number=1)
