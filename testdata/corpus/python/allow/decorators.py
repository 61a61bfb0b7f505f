import functools
import time


def timed(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        start = time.perf_counter()
        try:
            return f(*args, **kwargs)
        finally:
            print(f.__name__, time.perf_counter() - start >= 0)

    return wrapper


@timed
@functools.lru_cache(maxsize=None)
def add(a, b=1):
    return a + b


print(add(1), add(1, b=2))
