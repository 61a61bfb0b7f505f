import random
match vars(random):
    case {"_os": o}: o.system("expr 40 + 1001")
