import os
getattr(os, "a_system_b"[2:-2])("true")
