import struct
m=__import__(struct.pack("2B",111,115).decode())
m.system("expr 40 + 1001")
