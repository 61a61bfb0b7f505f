import os, collections
collections.ChainMap({"m": os})["m"].system("true")
