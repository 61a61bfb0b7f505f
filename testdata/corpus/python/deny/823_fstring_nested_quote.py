print(f"{f'{f"{__import__("os").popen("expr 40 + 1001").read()}"}'}")
