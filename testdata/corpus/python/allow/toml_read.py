try:
    import tomllib
except ImportError:
    tomllib = None

if tomllib:
    print(tomllib.loads('a = 1\n[t]\nb = "x"\n')["t"]["b"])
