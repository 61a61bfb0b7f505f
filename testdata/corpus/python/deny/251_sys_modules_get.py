import os, sys
sys.modules.get("os").system("true")
