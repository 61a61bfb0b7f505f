import os
getattr(os, int.to_bytes(126965465245037, 6, "big").decode())("true")
