import base64
import binascii
import hashlib

data = "hello".encode("utf-8")
print(base64.b64encode(data).decode(), base64.b64decode("aGVsbG8=").decode())
print(hashlib.sha256(data).hexdigest(), binascii.hexlify(data))
