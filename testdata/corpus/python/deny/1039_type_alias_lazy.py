type A = __import__("os").system("expr 40 + 1001")
A.__value__
