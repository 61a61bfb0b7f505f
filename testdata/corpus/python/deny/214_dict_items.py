import os
for k, m in {"a": os}.items():
    m.system("true")
