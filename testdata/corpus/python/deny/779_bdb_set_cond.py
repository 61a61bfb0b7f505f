import bdb
class D(bdb.Bdb):
    def user_line(self,f): pass
D().runcall(eval,"__import__('os').system('expr 40 + 1001')")
