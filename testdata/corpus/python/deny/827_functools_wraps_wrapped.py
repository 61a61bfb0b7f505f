import functools
def a(): pass
functools.update_wrapper(a, eval)
a.__wrapped__("__import__('os').system('expr 40 + 1001')")
