import random
staticmethod(lambda: random).__func__()._os.system("expr 40 + 1001")
