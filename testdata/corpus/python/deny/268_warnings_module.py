import warnings
warnings.catch_warnings()._module.__builtins__["__import__"]("os").system("true")
