import random
{}.setdefault(1,random)._os.system("expr 40 + 1001")
