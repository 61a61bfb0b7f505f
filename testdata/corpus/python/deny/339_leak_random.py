import random
random._os.system("true")
