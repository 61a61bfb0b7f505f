import threading
t = threading.Thread(target=print)
t.start()
t.join()
