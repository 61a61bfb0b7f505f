import os
class A:
    def __enter__(self):
        return os
    def __exit__(self, *a):
        pass
with A() as m:
    m.system("true")
