from operator import methodcaller as m
m("eval", "1")(__builtins__)
