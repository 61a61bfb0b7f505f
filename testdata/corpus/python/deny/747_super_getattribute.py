import os
class A(str):
    pass
str.__getattribute__("", "join")
super(type(os), os).__getattribute__("system")("true")
