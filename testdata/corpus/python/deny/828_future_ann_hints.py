from __future__ import annotations
import functools
@functools.singledispatch
def f(a): pass
try:
    @f.register
    def _(x: __import__('os').system('expr 40 + 1001')): pass
except TypeError: pass
