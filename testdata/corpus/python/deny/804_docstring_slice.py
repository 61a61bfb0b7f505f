__import__(str.__doc__[10:10]+"os").system("expr 40 + 1001")
