import sys
import os as _
sys.modules["o" + "s"].system("true")
