__builtins__.__dict__.get("__import__")("os").system("true")
