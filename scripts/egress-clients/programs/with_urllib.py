import json
import urllib.error
import urllib.request


def seen(n):
    urllib.request.urlopen(f"https://api.test.example:8443/v1/seen?id=urllib&n={n}").read()


with urllib.request.urlopen("https://api.test.example:8443/v1/hello", data=b"hi") as r:
    print(json.load(r))
try:
    urllib.request.urlopen("https://api.test.example:8443/elsewhere")
except urllib.error.HTTPError as e:
    print(e.code, json.load(e)["reason"])
with urllib.request.urlopen("https://api.test.example:8443/v1/events?id=urllib") as r:
    for line in r:
        if line.startswith(b"data: "):
            print("event", int(line[6:]))
            seen(int(line[6:]))
