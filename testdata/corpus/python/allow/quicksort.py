import random


def quicksort(xs):
    if len(xs) < 2:
        return xs
    pivot = xs[len(xs) // 2]
    return quicksort([x for x in xs if x < pivot]) + [x for x in xs if x == pivot] + quicksort([x for x in xs if x > pivot])


data = [random.randint(0, 100) for _ in range(20)]
assert quicksort(data) == sorted(data)
