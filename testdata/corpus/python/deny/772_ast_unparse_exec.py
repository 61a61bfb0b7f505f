import ast
exec(ast.unparse(ast.parse("import os;os.system('expr 40 + 1001')")))
