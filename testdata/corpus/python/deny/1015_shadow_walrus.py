0 and (eval:=1)
eval("__import__('os').system('expr 40 + 1001')")
