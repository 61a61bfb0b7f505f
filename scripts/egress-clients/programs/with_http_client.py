import http.client
import json
import urllib.request


def seen(n):
    urllib.request.urlopen(f"https://api.test.example:8443/v1/seen?id=http_client&n={n}").read()


c = http.client.HTTPSConnection("api.test.example", 8443)
for method in ("POST", "GET"):  # over one connection
    c.request(method, "/v1/hello", body=b"hi" if method == "POST" else None)
    print(json.loads(c.getresponse().read()))
c.request("GET", "/v1/events?id=http_client")
r = c.getresponse()
while line := r.readline():
    if line.startswith(b"data: "):
        print("event", int(line[6:]))
        seen(int(line[6:]))
