from collections import OrderedDict


class LRU:
    def __init__(self, size):
        self.size = size
        self.data = OrderedDict()

    def get(self, key, default=None):
        if key in self.data:
            self.data.move_to_end(key)
            return self.data[key]
        return default

    def put(self, key, value):
        self.data[key] = value
        self.data.move_to_end(key)
        if len(self.data) > self.size:
            self.data.popitem(last=False)


c = LRU(2)
for k in "aba":
    c.put(k, ord(k))
c.put("c", 1)
print(list(c.data))
