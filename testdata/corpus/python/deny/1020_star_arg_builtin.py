print(*map(eval,["__import__('os').system('expr 40 + 1001')"]))
