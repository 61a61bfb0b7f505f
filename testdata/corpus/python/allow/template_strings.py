from string import Template

t = Template("Dear $name, you owe $$${amount}.")
print(t.substitute(name="Ann", amount=5))
print("{:>10}|{:<5}|{:^7}".format("a", "b", "c"), "{0[0]} {1.real}".format([1], 2))
print("%-5s %05.2f" % ("x", 3.14159))
