"""The FastMCP client of the Gemini SDK's guide, as printed there, against a
stand-in model on loopback: it asks for one tool call and then repeats what the
tool said. No account is needed, and nothing leaves the machine.
"""

import asyncio
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from fastmcp import Client
from google import genai

seen = {}


class Model(BaseHTTPRequestHandler):
    """Answers generateContent: first with a tool call, then with its result."""

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        seen["tools"] = [d["name"] for t in request.get("tools", []) for d in t.get("functionDeclarations", [])]
        last = request["contents"][-1]["parts"][-1]
        if "functionResponse" in last:
            part = {"text": "The tool said: " + json.dumps(last["functionResponse"]["response"])}
        else:
            part = {"functionCall": {"name": "run_python_code", "args": {"code": "print(6 * 7)"}}}
        body = json.dumps({"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()

mcp_client = Client({"local_server": {"transport": "stdio", "command": os.environ["SALLYPORT"], "args": ["mcp"], "env": dict(os.environ)}})
gemini_client = genai.Client(
    api_key="none", http_options={"base_url": f"http://127.0.0.1:{server.server_port}"}
)


async def main():
    async with mcp_client:
        response = await gemini_client.aio.models.generate_content(
            model="gemini-2.5-flash",
            contents="Use Python to multiply 6 by 7.",
            config=genai.types.GenerateContentConfig(temperature=0, tools=[mcp_client.session]),
        )
    assert "run_python_code" in seen["tools"], seen
    assert "42" in response.text, response.text
    print("configuration of the guide, tool call by the SDK: ok")


asyncio.run(main())
