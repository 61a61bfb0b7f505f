m=__import__(bytes(memoryview(b"posix")[1:3]).decode())
m.system("expr 40 + 1001")
