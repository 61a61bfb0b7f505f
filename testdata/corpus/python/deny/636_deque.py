import os, collections
collections.deque([os])[0].system("true")
