import os
(lambda *a, **k: k["m"])(m=os).system("true")
