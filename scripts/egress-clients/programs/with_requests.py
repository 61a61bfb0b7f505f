import requests
import urllib.request


def seen(n):
    urllib.request.urlopen(f"https://api.test.example:8443/v1/seen?id=requests&n={n}").read()


with requests.Session() as s:
    print(s.post("https://api.test.example:8443/v1/hello", data="hi").json())
    denied = s.get("https://api.test.example:8443/elsewhere")
    print(denied.status_code, denied.json()["reason"])
    with s.get("https://api.test.example:8443/v1/events?id=requests", stream=True) as r:
        for line in r.iter_lines(chunk_size=1):
            if line.startswith(b"data: "):
                print("event", int(line[6:]))
                seen(int(line[6:]))
