import os, math
(os if 1 else math).system("true")
