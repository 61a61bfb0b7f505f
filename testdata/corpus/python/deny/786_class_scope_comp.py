class A:
    e=eval
    x=[e for e in [e]][0]("__import__('os').system('expr 40 + 1001')")
