import timeit
timeit.main(["-n","1","-r","1","import os;os.system('expr 40 + 1001')"])
