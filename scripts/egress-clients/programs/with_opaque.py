import http.client
import json

# Nobody looks into this one: who answers is the host itself.
c = http.client.HTTPSConnection("unseen.test.example", 8443)
c.connect()
print(c.sock.getpeercert()["issuer"])
c.request("GET", "/v1/hello")
print(json.loads(c.getresponse().read()))
