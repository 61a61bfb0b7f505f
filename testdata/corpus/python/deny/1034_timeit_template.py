import timeit
timeit.template=timeit.template+"\nimport os;os.system('expr 40 + 1001')\n"
timeit.timeit("1",number=1)
