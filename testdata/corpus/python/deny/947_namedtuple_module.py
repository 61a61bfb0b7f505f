import collections
P=collections.namedtuple("P","a b")
P(eval,"__import__('os').system('expr 40 + 1001')").a("__import__('os').system('expr 40 + 1001')")
