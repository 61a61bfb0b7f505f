class A:
    def __format__(s,spec): return str(eval(spec))
print(f"{A():__import__('os').popen('expr 40 + 1001').read()}")
