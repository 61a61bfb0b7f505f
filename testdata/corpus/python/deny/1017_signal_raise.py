import signal
signal.signal(signal.SIGUSR1,lambda *a: eval("__import__('os').system('expr 40 + 1001')"))
signal.raise_signal(signal.SIGUSR1)
