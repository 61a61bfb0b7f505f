import os
class A:
    __class_getitem__ = os.system
A["true"]
