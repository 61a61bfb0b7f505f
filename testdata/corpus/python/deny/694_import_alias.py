i = __import__
i("os").system("true")
