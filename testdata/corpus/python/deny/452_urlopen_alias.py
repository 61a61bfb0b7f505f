import urllib.request as r
try:
    r.urlopen("http://127.0.0.1:1/")
except OSError:
    pass
