import sys
sys.excepthook=lambda *a: eval("__import__('os').system('expr 40 + 1001')")
1/0
