getattr(getattr(__import__("os"), "path"), "os").system("true")
