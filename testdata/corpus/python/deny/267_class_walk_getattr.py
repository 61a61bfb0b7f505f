g = getattr
x = g(g((), "__cl" + "ass__"), "__ba" + "se__")
g(x, "__subcl" + "asses__")()
