import unittest
unittest.FunctionTestCase(eval.__get__(eval) if 0 else (lambda: eval("__import__('os').system('expr 40 + 1001')"))).run()
