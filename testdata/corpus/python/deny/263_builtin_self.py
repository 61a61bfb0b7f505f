print.__self__.__import__("os").system("true")
