import os
sorted([os, os], key=lambda m: m.system("true"))
