import ast

print(ast.literal_eval("{'a': [1, 2, (3, 4)]}"))
tree = ast.parse("x = 1 + 2")
print(ast.dump(tree.body[0]))
for node in ast.walk(tree):
    if isinstance(node, ast.Name):
        print(node.id)
