import string
class F(string.Formatter):
    def format_field(s,v,spec):
        return str(v["__builtins__"].eval("__import__('os').popen('expr 40 + 1001').read()"))
print(F().format("{0.__globals__}",lambda:0))
