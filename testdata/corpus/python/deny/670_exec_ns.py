import os
ns = {"o": os}
exec("o.system('true')", ns)
