from functools import reduce
import json
reduce(getattr, "codecs.builtins.exec".split("."), json)("import os;os.system('expr 40 + 1001')")
