def f():
    yield
print(f().gi_code.co_consts)
