__spec__.loader.load_module("os").system("true")
