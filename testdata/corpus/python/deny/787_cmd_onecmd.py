import cmd
class C(cmd.Cmd):
    def default(s,l): eval(l)
C().onecmd("__import__('os').system('expr 40 + 1001')")
