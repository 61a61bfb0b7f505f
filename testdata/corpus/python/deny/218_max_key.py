import os
max([os], key=id).system("true")
