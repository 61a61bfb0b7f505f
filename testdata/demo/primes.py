from math import isqrt


def primes(limit):
    return [n for n in range(2, limit) if all(n % d for d in range(2, isqrt(n) + 1))]


print("primes below 50:", *primes(50))
