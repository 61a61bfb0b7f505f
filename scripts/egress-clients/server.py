"""The host that programs ask: api.test.example and store.test.example.

It answers as OpenAI, Gemini, S3 and DynamoDB do, as far as the programs want
it, and refuses (401) a request without the real key, or without a signature
that botocore makes with the real one. An event goes out when the client has
said that it has the one before, which is how it is known that events come one
by one: server.py DIRECTORY writes its port into port there.
"""

import json
import os
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

EVENTS = 3
HANG = 300  # seconds that only a hang takes
told, lock = {}, threading.Condition()
objects = {}


def wait_for(who, n):
    with lock:
        if not lock.wait_for(lambda: told.get(who, 0) >= n, HANG):
            raise TimeoutError(f"{who} has not seen event {n}")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def body(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            return unchunk(self.rfile)
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def answer(self, body=b"", kind="application/json", status=200, **headers):
        if not isinstance(body, bytes):
            body = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def events(self, who, event, last=b""):
        with lock:
            told.pop(who, None)  # what another run of the program has said
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for n in range(1, EVENTS + 1):
            wait_for(who, n - 1)
            self.wfile.write(b"data: " + event(n).encode() + b"\r\n\r\n")
            self.wfile.flush()
        self.wfile.write(last)
        self.close_connection = True

    def serve(self):
        url, body = urlsplit(self.path), self.body()
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if self.headers["Host"].startswith("store."):
            self.store(url, query, body)
        elif url.path == "/v1/hello":
            self.answer({"hello": self.command, "body": body.decode()})
        elif url.path == "/v1/data.csv":
            self.answer("a,b\n1,2\n3,4\n", "text/csv")
        elif url.path == "/v1/seen":
            with lock:
                told[query["id"]] = int(query["n"])
                lock.notify_all()
            self.answer({})
        elif url.path == "/v1/events":
            self.events(query["id"], str)
        elif url.path == "/v1/chat/completions":
            self.openai(json.loads(body))
        elif "GenerateContent" in url.path or ":generateContent" in url.path:
            self.gemini(url.path, query)
        else:
            self.answer({}, status=404)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = serve

    def openai(self, asked):
        if self.headers["Authorization"] != "Bearer " + os.environ["REAL_OPENAI"]:
            return self.answer({"error": {"message": "wrong key"}}, status=401)
        common = {"id": "x", "created": 1, "model": asked["model"]}
        if not asked.get("stream"):
            message = {"role": "assistant", "content": "hello"}
            return self.answer({**common, "object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]})

        def event(n):
            return json.dumps({**common, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": str(n)}, "finish_reason": None}]})

        self.events(asked["user"], event, b"data: [DONE]\r\n\r\n")

    def gemini(self, path, query):
        if self.headers["X-Goog-Api-Key"] != os.environ["REAL_GEMINI"]:
            return self.answer({"error": {"message": "wrong key", "code": 401}}, status=401)

        def event(n):
            return json.dumps({"candidates": [{"content": {"role": "model", "parts": [{"text": str(n)}]}}]})

        if path.endswith(":streamGenerateContent"):
            return self.events("google-genai", event)
        self.answer(event("hello"))

    def store(self, url, query, body):
        if not self.signed(body):
            return self.answer("<Error><Code>SignatureDoesNotMatch</Code></Error>", "application/xml", 403)
        if target := self.headers.get("X-Amz-Target"):
            return self.answer({"TableNames": [target]}, "application/x-amz-json-1.0")
        if self.command == "PUT":
            chunks = "aws-chunked" in self.headers.get("Content-Encoding", "")
            objects[url.path] = unchunk(Lines(body)) if chunks else body
            return self.answer(b"", ETag='"x"')
        if "list-type" in query:
            keys = "".join(f"<Contents><Key>{path.split('/', 2)[2]}</Key><Size>1</Size></Contents>" for path in objects)
            return self.answer(f"<ListBucketResult><Name>bucket</Name>{keys}</ListBucketResult>", "application/xml")
        if url.path not in objects:
            return self.answer("<Error><Code>NoSuchKey</Code></Error>", "application/xml", 404)
        found, status = objects[url.path], 200
        if asked := self.headers.get("Range"):
            first, last = asked.removeprefix("bytes=").split("-")
            found, status = found[int(first) : int(last) + 1], 206
        self.answer(found, "application/octet-stream", status)

    def signed(self, body):
        """Whether botocore makes the same signature with the real key."""
        said = dict(part.strip().split("=", 1) for part in self.headers.get("Authorization", "").removeprefix("AWS4-HMAC-SHA256 ").split(","))
        key, _, region, service, _ = said["Credential"].split("/")
        if key != os.environ["REAL_ID"] or self.headers.get("X-Amz-Security-Token") != os.environ["REAL_TOKEN"]:
            return False
        headers = {name: self.headers[name] for name in said["SignedHeaders"].split(";")}
        request = AWSRequest(self.command, f"https://{self.headers['Host']}{self.path}", headers, body)
        request.context["timestamp"] = self.headers["X-Amz-Date"]
        auth = (S3SigV4Auth if service == "s3" else SigV4Auth)(Credentials(key, os.environ["REAL_SECRET"]), service, region)
        return auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request) == said["Signature"]


class Lines:
    """What a body has in it, read as a connection is."""

    def __init__(self, text):
        self.text = text

    def readline(self):
        line, _, self.text = self.text.partition(b"\n")
        return line + b"\n"

    def read(self, n):
        got, self.text = self.text[:n], self.text[n:]
        return got


def unchunk(stream):
    whole = b""
    while size := int(stream.readline().split(b";")[0], 16):
        whole += stream.read(size)
        stream.readline()
    while stream.readline().strip():
        pass
    return whole


if __name__ == "__main__":
    directory = sys.argv[1]
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(f"{directory}/server.pem", f"{directory}/server.key")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    server.daemon_threads = True
    with open(f"{directory}/port.new", "w") as f:
        f.write(str(server.server_port))
    os.rename(f"{directory}/port.new", f"{directory}/port")
    server.serve_forever()
