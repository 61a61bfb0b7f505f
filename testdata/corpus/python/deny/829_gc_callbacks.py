import gc
gc.callbacks.append(lambda *a: eval("__import__('os').system('expr 40 + 1001')"))
gc.collect()
