import gzip
import zlib

data = b"abc" * 100
packed = zlib.compress(data, 9)
print(len(packed), zlib.decompress(packed) == data, gzip.decompress(gzip.compress(data)) == data, zlib.crc32(data))
