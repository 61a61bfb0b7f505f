import sys
sys.breakpointhook = print
breakpoint()
