help.__call__.__globals__["sys"].modules["posix"].system("true")
