import unittest.main
unittest.main.os.system("true")
