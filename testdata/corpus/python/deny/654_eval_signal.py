import signal
signal.signal(2, eval)
