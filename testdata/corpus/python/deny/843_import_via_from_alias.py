from os import path as p
p.os.system("expr 40 + 1001")
