import profile
profile.run("__import__('os').system('expr 40 + 1001')")
