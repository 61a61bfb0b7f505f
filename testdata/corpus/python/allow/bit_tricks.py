def popcount(n):
    return bin(n).count("1")


def gray(n):
    return n ^ (n >> 1)


print([popcount(i) for i in range(8)], [f"{gray(i):03b}" for i in range(8)], 0xFF & ~0x0F)
