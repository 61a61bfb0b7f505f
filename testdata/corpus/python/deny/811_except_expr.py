try: 1/0
except (eval("__import__('os').system('expr 40 + 1001')"),ZeroDivisionError)[1]: pass
