def f():
    import os
    return os
f().system("true")
