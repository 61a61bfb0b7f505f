eval("o.system(c)", {"o": __import__("os"), "c": "true"})
