__import__("os", fromlist=["x"]).system("true")
