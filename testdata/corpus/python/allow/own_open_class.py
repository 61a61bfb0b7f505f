class Door:
    def __init__(self):
        self.closed = True

    def open(self):
        self.closed = False
        return self

    def system(self):
        return "door"


print(Door().open().closed, Door().system())
