import _frozen_importlib as f
f._gcd_import("os").system("true")
