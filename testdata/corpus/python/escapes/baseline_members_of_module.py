import inspect, glob
dict(inspect.getmembers(glob))['os'].system('expr 1000 + 41')
