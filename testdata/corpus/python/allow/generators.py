import itertools


def chunks(xs, n):
    it = iter(xs)
    while chunk := list(itertools.islice(it, n)):
        yield chunk


def flatten(xs):
    for x in xs:
        if isinstance(x, list):
            yield from flatten(x)
        else:
            yield x


print(list(chunks(range(7), 3)), list(flatten([1, [2, [3]]])))
