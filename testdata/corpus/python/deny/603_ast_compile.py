import ast
exec(compile(ast.parse("import os; os.system(1)"), "", "exec"))
