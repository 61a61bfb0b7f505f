def eval2(): pass
for open in [eval]: pass
open("__import__('os').system('expr 40 + 1001')")
