import importlib._bootstrap as b
b._gcd_import("os").system("true")
