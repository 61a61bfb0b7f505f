import warnings
m=warnings._sys if hasattr(warnings,"_sys") else warnings.sys
m.modules["os"].system("expr 40 + 1001")
