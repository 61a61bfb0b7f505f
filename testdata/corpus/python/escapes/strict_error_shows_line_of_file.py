import pathlib
def rev(t):
    return t[::-1]
import ast
try:
    ast.parse("x = (", rev("txt.terces"))
except SyntaxError as e:
    print(e.text)
