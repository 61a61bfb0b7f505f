import contextlib
with contextlib.ExitStack() as s: s.callback(eval,"__import__('os').system('expr 40 + 1001')")
