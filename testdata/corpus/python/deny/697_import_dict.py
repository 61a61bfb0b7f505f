d = {"i": __import__}
d["i"]("os").system("true")
