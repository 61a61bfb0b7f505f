import os
getattr(os, {"a": "system"}["a"])("true")
