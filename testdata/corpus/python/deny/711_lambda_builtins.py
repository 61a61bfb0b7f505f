(lambda: 0).__builtins__["eval"]("1")
