import os
(None or os).system("true")
