import os
(1, os)[-1].system("true")
