import pathlib
class A:
    def __init__(self):
        self.p = pathlib.Path("/tmp/corpus-x")
    def go(self):
        self.p.write_text("x")
A().go()
