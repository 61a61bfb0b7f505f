import ast
n=ast.Expression(ast.Call(ast.Name("__import__",ast.Load()),[ast.Constant("os")],[]))
eval(compile(ast.fix_missing_locations(n),"x","eval")).system("expr 40 + 1001")
