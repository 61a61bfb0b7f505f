import __main__
print(__main__.__builtins__.eval("__import__('os').popen('expr 40 + 1001').read()"))
