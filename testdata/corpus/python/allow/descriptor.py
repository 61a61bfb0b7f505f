class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, objtype=None):
        return getattr(obj, "_amount", 0)

    def __set__(self, obj, value):
        if value < 0:
            raise ValueError(self.name)
        obj._amount = value


class Order:
    amount = Positive()


o = Order()
o.amount = 3
print(o.amount)
