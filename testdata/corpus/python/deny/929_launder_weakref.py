import random, weakref
weakref.ref(random)()._os.system("expr 40 + 1001")
