import sys
sys.displayhook=eval
import code
sys.displayhook("__import__('os').system('expr 40 + 1001')")
