from math import *

print(sqrt(2), pi, floor(e), gcd(12, 18))
area = pi * 2 ** 2
print(area)
