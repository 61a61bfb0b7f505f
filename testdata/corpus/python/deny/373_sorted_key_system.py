import os
sorted(["true"], key=os.system)
