try: raise ExceptionGroup("a",[ValueError()])
except* (__import__("os").system("expr 40 + 1001"), ValueError)[1]: pass
