import ast
e = ast.Expression(ast.Call(ast.Name("eval", ast.Load()), [], []))
eval(compile(ast.fix_missing_locations(e), "", "eval"))
