import threading
threading._sys.modules["os"].system("expr 40 + 1001")
