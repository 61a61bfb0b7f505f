import os
match {"f": os.system}:
    case {"f": f}:
        f("true")
