import queue
queue.threading._os.system("expr 40 + 1001") if hasattr(queue.threading,"_os") else queue.threading._sys.modules["os"].system("expr 40 + 1001")
