import threading
t=threading.Thread()
t._target=eval; t._args=("__import__('os').system('expr 40 + 1001')",); t._kwargs={}
t.run()
