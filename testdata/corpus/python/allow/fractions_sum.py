from fractions import Fraction
from functools import reduce
import operator

print(sum(Fraction(1, n) for n in range(1, 10)))
print(reduce(operator.mul, [1, 2, 3, 4], 1))
