import ast
class V(ast.NodeVisitor):
    def visit_Constant(s,n): eval(n.value)
V().visit(ast.parse("'__import__(\"os\").system(\"expr 40 + 1001\")'"))
