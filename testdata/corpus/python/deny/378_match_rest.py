import os
match {"f": os}:
    case {**rest}:
        rest["f"].system("true")
