import time

start = time.monotonic()
time.sleep(0.01)
elapsed = time.monotonic() - start
print(elapsed > 0, time.strftime("%Y", time.gmtime(0)))
