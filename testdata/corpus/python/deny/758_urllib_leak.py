import urllib.request
urllib.request.os.system("true")
