import importlib._bootstrap as b
b._gcd_import("os").system("expr 40 + 1001")
