import sys

sys.setrecursionlimit(5000)


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


print(depth(3000), sys.version_info >= (3, 8), sys.maxsize > 0)
