class A:
    __init__ = eval
A("1")
