import pty, os
pid, fd = pty.fork()
if pid == 0:
    os._exit(0)
