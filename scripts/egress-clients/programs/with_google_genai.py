import urllib.request

from google import genai
from google.genai import types


def seen(n):
    urllib.request.urlopen(f"https://api.test.example:8443/v1/seen?id=google-genai&n={n}").read()


client = genai.Client(http_options=types.HttpOptions(base_url="https://api.test.example:8443"))
print(client.models.generate_content(model="m", contents="hi").text)
for chunk in client.models.generate_content_stream(model="m", contents="hi"):
    print("event", chunk.text)
    seen(chunk.text)
