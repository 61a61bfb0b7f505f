import os
import tempfile

with tempfile.TemporaryDirectory() as d:
    path = os.path.join(d, "x.txt")
    with open(path, "w") as f:
        f.write("hello")
    with open(path) as f:
        print(f.read())
with tempfile.NamedTemporaryFile("w+", suffix=".txt") as f:
    f.write("x")
    f.seek(0)
    print(f.read())
