import os
locals()["m"] = os
m.system("true")
