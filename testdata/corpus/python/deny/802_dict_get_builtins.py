print.__self__.__dict__["ev"+"al"]("__import__('os').system('expr 40 + 1001')")
