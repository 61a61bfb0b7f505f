class A:
    __contains__=lambda s,x: eval(x)
"__import__('os').system('expr 40 + 1001')" in A()
