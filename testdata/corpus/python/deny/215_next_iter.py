import os
next(iter([os])).system("true")
