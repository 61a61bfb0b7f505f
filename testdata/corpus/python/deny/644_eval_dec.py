@eval
@(lambda f: "1")
def f(): pass
