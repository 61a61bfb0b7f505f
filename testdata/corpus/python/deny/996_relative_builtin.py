from builtins import __import__ as i
i("os").system("expr 40 + 1001")
