import hashlib
import hmac
import secrets

key = secrets.token_bytes(16)
sig = hmac.new(key, b"message", hashlib.sha256).hexdigest()
print(hmac.compare_digest(sig, sig), len(sig))
