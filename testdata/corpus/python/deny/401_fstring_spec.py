import os
x = 3
f"{x:{os.system('true') or 1}}"
