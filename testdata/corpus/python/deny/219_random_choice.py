import os, random
random.choice([os]).system("true")
