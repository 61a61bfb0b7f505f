class S(str):
    pass
exec(S("import os"))
