from os import getenv as g
g("HOME")
