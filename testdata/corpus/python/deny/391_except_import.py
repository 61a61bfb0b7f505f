try:
    import nothing_like_it as m
except ImportError:
    m = __import__("os")
m.system("true")
