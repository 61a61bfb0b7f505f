import threading
threading.excepthook=lambda a: eval("__import__('os').system('expr 40 + 1001')")
t=threading.Thread(target=lambda:1/0); t.start(); t.join()
