import timeit
timeit.timeit("pass", setup=str(1), number=1)
