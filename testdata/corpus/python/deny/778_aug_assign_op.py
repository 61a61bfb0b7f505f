class A:
    __iadd__=lambda s,o: eval(o)
a=A(); a+="__import__('os').system('expr 40 + 1001')"
