import os
({} | {"m": os})["m"].system("true")
