import os
try:
    os.remove("/tmp/corpus-none")
except OSError:
    pass
