import sys
sys.path_hooks.append(print)
