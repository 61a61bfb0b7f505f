import os
([os] * 2)[1].system("true")
