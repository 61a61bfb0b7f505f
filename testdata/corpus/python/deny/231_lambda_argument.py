import os
(lambda m: m.system("true"))(os)
