import os
globals().update(m=os)
m.system("true")
