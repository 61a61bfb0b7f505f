exec(b"".join([b"import os", b";os.system(1)"]))
