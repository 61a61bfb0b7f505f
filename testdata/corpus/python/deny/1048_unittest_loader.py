import unittest
t=unittest.TestLoader()
m=t.loadTestsFromName
try: m("os.system")
except Exception: pass
import unittest.loader
unittest.loader.os.system("expr 40 + 1001")
