import pydoc
pydoc.safeimport("os").system("expr 40 + 1001")
