try:
    import numpy as np

    HAVE_NUMPY = True
except ImportError:
    np = None
    HAVE_NUMPY = False


def mean(xs):
    return float(np.mean(xs)) if HAVE_NUMPY else sum(xs) / len(xs)


print(mean([1, 2, 3]))
