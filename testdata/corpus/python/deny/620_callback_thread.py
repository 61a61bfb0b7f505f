import os, threading
threading.Thread(target=lambda m: m.system("true"), args=(os,)).start()
