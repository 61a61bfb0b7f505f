import json
n=json.loads('["evil.py"]')[0]
open(n,'w').write('import os; os.system("expr 1000 + 41")')
import evil
