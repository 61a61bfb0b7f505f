with open("/tmp/corpus-x", "w") as f:
    f.write("x")
