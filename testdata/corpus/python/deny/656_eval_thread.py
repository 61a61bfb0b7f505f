import threading
threading.Thread(target=exec, args=("import os",)).start()
