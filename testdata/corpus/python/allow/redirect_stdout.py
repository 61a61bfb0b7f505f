import contextlib
import io
import sys

buffer = io.StringIO()
with contextlib.redirect_stdout(buffer):
    print("captured")
old = sys.stdout
sys.stdout = io.StringIO()
print("hidden")
sys.stdout = old
print(buffer.getvalue())
