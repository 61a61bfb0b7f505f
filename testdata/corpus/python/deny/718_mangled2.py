class A:
    import os as __m
A._A__m.system("true")
