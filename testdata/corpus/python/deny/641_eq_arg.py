import os
class A:
    def __eq__(self, m):
        m.system("true")
A() == os
