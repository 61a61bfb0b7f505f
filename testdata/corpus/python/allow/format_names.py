class Item:
    def __init__(self, name, price):
        self.name = name
        self.price = price


template = "{item.name}: {item.price:.2f} {unit}"
for i in (Item("tea", 2), Item("pie", 3.5)):
    print(template.format(item=i, unit="EUR"))
print("{name} is {age}".format(**{"name": "x", "age": 3}))
