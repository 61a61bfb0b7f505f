def f(x):
    return lambda: x
print(f(1).__closure__[0].cell_contents)
