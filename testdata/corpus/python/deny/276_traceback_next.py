import sys
try:
    1 / 0
except ZeroDivisionError:
    sys.exc_info()[2].tb_frame.f_builtins["__import__"]("os").system("true")
