import urllib.request

import httpx


def seen(n):
    urllib.request.urlopen(f"https://api.test.example:8443/v1/seen?id=httpx_h2&n={n}").read()


with httpx.Client(http2=True) as c:
    r = c.post("https://api.test.example:8443/v1/hello", content=b"hi")
    print(r.http_version, r.json())
    with c.stream("GET", "https://api.test.example:8443/v1/events?id=httpx_h2") as r:
        for line in r.iter_lines():
            if line.startswith("data: "):
                print("event", int(line[6:]))
                seen(int(line[6:]))
