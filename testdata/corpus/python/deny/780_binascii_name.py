import binascii
m=__import__(binascii.unhexlify("6f73").decode())
m.system("expr 40 + 1001")
