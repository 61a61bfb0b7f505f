import pydoc
pydoc.locate("os").system("expr 40 + 1001")
