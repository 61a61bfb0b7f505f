"""What the service says of its plain API is OpenAPI, by the validator made for it,
and what it answers is what it says, by another JSON Schema than that of our tests."""

import json
import os
import urllib.error
import urllib.request

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator, validate

service = json.loads(os.environ["SERVICE"])
programs = json.load(open(os.environ["PROGRAMS"]))
base = service["url"].removesuffix("/mcp")
with urllib.request.urlopen(base + "/openapi.json") as answer:  # without a token
    spec = json.load(answer)
validate(spec, cls=OpenAPIV31SpecValidator)


def ask(path, code, accept="application/json"):
    body = json.dumps({"language": "python", "code": code}).encode()
    headers = {"authorization": "Bearer " + service["token"], "content-type": "application/json", "accept": accept}
    try:
        with urllib.request.urlopen(urllib.request.Request(base + path, body, headers)) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read()


def fits(value, shape):
    Draft202012Validator({**shape, "components": spec["components"]}).validate(value)


def described(path, code):
    status, text = ask(path, code)
    answers = spec["paths"][path]["post"]["responses"]
    one = answers[str(status)]
    if "$ref" in one:
        one = spec["components"]["responses"][one["$ref"].rsplit("/", 1)[1]]
    value = json.loads(text)
    fits(value, one["content"]["application/json"]["schema"])
    return status, value


assert described("/v1/check", programs["denied"])[1]["decision"]["effect"] == "deny"
status, ran = described("/v1/run", programs["image"])
assert status == 200 and ran["result"]["artifacts"][0]["media_type"] == "image/png", ran
assert described("/v1/run", 5)[0] == 400
events = spec["paths"]["/v1/run"]["post"]["responses"]["200"]["content"]["text/event-stream"]["x-events"]
kinds = []
for event in ask("/v1/run", programs["python"], "text/event-stream")[1].decode().split("\n\n"):
    if event.startswith("event: "):
        kind, data = event.split("\n", 1)
        kinds.append(kind.removeprefix("event: "))
        fits(json.loads(data.removeprefix("data: ")), events[kinds[-1]])
assert kinds == ["output", "answer"], kinds
print(f"openapi: {len(spec['paths'])} paths are valid, and answers, refusals and events are as they say: ok")
