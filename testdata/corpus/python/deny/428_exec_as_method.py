class A:
    run = exec
A().run("x = 1")
