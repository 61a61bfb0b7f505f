import struct
from array import array

packed = struct.pack("<IHb", 1, 2, -3)
print(struct.unpack("<IHb", packed), packed.hex(), array("i", [1, 2]).tobytes())
print(int.from_bytes(b"\x01\x00", "little"), (1024).to_bytes(2, "big"))
