match print:
    case object(__self__=b):
        b.exec("import os;os.system('expr 40 + 1001')")
