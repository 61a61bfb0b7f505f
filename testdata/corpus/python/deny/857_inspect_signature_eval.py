import inspect
def f(a: "__import__('os').system('expr 40 + 1001')"): pass
inspect.signature(f, eval_str=True)
