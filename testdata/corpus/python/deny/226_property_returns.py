import os
class A:
    @property
    def m(self):
        return os
A().m.system("true")
