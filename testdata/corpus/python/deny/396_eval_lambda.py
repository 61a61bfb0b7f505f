eval("lambda: __import__('os').system('true')")()
