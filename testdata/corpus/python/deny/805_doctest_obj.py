def f(): pass
f.__doc__=">>> import os; os.system('expr 40 + 1001')\n"
import doctest
doctest.run_docstring_examples(f,{})
