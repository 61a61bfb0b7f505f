import os
globals()["m"] = os
m.system("true")
