import ast
t=ast.parse("import os;os.system('expr 40 + 1001')")
exec(compile(t,"x","exec"))
