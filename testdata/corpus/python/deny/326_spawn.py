import os
os.spawnlp(os.P_WAIT, "true", "true")
