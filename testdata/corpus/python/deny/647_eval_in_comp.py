[eval(s) for s in ["__import__('os')"]]
