import os
print(len(os.environ))
