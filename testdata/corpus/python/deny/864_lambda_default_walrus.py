(lambda f=(g:=eval): f("__import__('os').system('expr 40 + 1001')"))()
