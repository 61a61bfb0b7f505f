import urllib.request

import urllib3


def seen(n):
    urllib.request.urlopen(f"https://api.test.example:8443/v1/seen?id=urllib3&n={n}").read()


pool = urllib3.PoolManager()
print(pool.request("POST", "https://api.test.example:8443/v1/hello", body=b"hi").json())
r = pool.request("GET", "https://api.test.example:8443/v1/events?id=urllib3", preload_content=False)
for chunk in r.stream():
    for line in chunk.splitlines():
        if line.startswith(b"data: "):
            print("event", int(line[6:]))
            seen(int(line[6:]))
