def repeat(n):
    def decorate(f):
        def inner(*a, **k):
            return [f(*a, **k) for _ in range(n)]

        return inner

    return decorate


@repeat(3)
def hello(name):
    return "hello " + name


print(hello("x"))
