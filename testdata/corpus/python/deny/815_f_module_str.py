import sys, random
sys.modules[random.Random.__module__]._os.system("expr 40 + 1001")
