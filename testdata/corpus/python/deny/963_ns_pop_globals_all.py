eval=1
globals().popitem()
globals().__delitem__("eval") if "eval" in globals() else 0
eval("__import__('os').system('expr 40 + 1001')")
