def mandel(c, limit=30):
    z = 0
    for n in range(limit):
        if abs(z) > 2:
            return n
        z = z * z + c
    return limit


for y in range(-6, 7):
    print("".join("#" if mandel(complex(x / 12, y / 5)) == 30 else "." for x in range(-24, 12)))
