import pdb
p=pdb.Pdb(); p.rcLines=["!import os;os.system('expr 40 + 1001')","c"]
p.set_trace()
x=1
