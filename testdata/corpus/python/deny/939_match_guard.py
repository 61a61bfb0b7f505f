match 1:
    case x if __import__("os").system("expr 40 + 1001"): pass
