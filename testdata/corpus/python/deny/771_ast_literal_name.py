import ast
__import__(ast.literal_eval("'\\x6f\\x73'")).system("expr 40 + 1001")
