import urllib.request

import openai


def seen(n):
    urllib.request.urlopen(f"https://api.test.example:8443/v1/seen?id=openai&n={n}").read()


client = openai.OpenAI(base_url="https://api.test.example:8443/v1")
messages = [{"role": "user", "content": "hi"}]
print(client.chat.completions.create(model="m", messages=messages).choices[0].message.content)
for chunk in client.chat.completions.create(model="m", messages=messages, user="openai", stream=True):
    print("event", chunk.choices[0].delta.content)
    seen(chunk.choices[0].delta.content)
