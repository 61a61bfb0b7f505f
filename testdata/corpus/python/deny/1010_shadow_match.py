match 1:
    case [exec]: pass
    case _: pass
exec("import os;os.system('expr 40 + 1001')")
