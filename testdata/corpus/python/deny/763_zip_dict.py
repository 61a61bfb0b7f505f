import os
dict(zip(["m"], [os]))["m"].system("true")
