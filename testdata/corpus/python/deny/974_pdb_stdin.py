import pdb,io
pdb.Pdb(stdin=io.StringIO("!import os;os.system('expr 40 + 1001')\nq\n"),stdout=io.StringIO()).set_trace()
