import weakref
class A: pass
a=A(); r=weakref.finalize(a,eval,"__import__('os').system('expr 40 + 1001')"); del a
