import os
for m in {"a": os}.values():
    m.system("true")
