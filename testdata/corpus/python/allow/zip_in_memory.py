import io
import zipfile

buf = io.BytesIO()
with zipfile.ZipFile(buf, "w") as z:
    z.writestr("a.txt", "hello")
with zipfile.ZipFile(buf) as z:
    print(z.namelist(), z.read("a.txt"))
