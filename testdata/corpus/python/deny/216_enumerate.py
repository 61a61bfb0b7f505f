import os
for i, m in enumerate([os]):
    m.system("true")
