import tokenize
tokenize._builtin_open("/tmp/corpus-x", "w").close()
