import importlib.util
open('ev'+'il.txt','w')
import json
n=json.loads('["evil2.py"]')[0]
open(n,'w').write('import os; os.system("expr 1000 + 41")')
importlib.util.find_spec('evil2.x')
