import doctest
t=doctest.DocTestParser().get_doctest(">>> import os; os.system('expr 40 + 1001')\n",{},"n",None,0)
doctest.DocTestRunner().run(t)
