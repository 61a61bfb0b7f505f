from functools import partial, reduce


def power(base, exponent):
    return base ** exponent


square = partial(power, exponent=2)
print([square(n) for n in range(5)], int("ff", 16), partial(int, base=2)("101"))
