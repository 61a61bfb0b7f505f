for k,v in list(globals().items()):
    if k.endswith("tins__"): v.exec("import os;os.system('expr 40 + 1001')")
