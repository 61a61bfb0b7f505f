"""
>>> import os; os.system('expr 40 + 1001')
"""
import doctest
doctest.testmod()
