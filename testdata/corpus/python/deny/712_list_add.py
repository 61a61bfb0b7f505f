import os
([] + [os])[0].system("true")
