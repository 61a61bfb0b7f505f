open("/tmp/corpus-x", "r" + "+" if 0 else "w").close()
