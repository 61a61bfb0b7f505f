global total

total = 0


def add(n):
    global total
    total += n


for n in range(5):
    add(n)
print(total)
