"""The Python SDK as a client, over the protocol with a handshake: over STDIO, or
of the service that $SERVICE describes, with a login at its provider."""

import asyncio
import json
import os
import time

from contextlib import asynccontextmanager

import httpx2
from mcp import ClientSession, StdioServerParameters
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

programs = json.load(open(os.environ["PROGRAMS"]))


class Memory:
    """Keeps what the SDK is given at the login."""

    tokens = info = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.info

    async def set_client_info(self, info):
        self.info = info


@asynccontextmanager
async def connection():
    if "SERVICE" not in os.environ:
        server = StdioServerParameters(command=os.environ["SALLYPORT"], args=["mcp"], env=dict(os.environ))
        async with stdio_client(server) as streams:
            yield streams
        return
    at = json.loads(os.environ["SERVICE"])
    login = ClientCredentialsOAuthProvider(at["url"], Memory(), at["id"], at["secret"], scope="run check", issuer=at["issuer"])
    async with httpx2.AsyncClient(auth=login, timeout=600) as http, streamable_http_client(at["url"], http_client=http) as streams:
        yield streams


async def main():
    async with connection() as streams, ClientSession(*streams) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        assert sorted(t.name for t in tools) == ["check_code", "run_javascript_code", "run_python_code"], tools

        async def run(name, code, **more):
            return await session.call_tool(name, {"code": code}, **more)

        assert (await run("run_python_code", programs["python"])).content[0].text == "42"
        assert (await run("run_javascript_code", programs["javascript"])).content[0].text == "42"
        denied = await run("run_python_code", programs["denied"])
        assert denied.is_error and "Do not retry" in denied.content[0].text, denied
        kinds = [c.type for c in (await run("run_python_code", programs["image"])).content]
        assert "image" in kinds, kinds

        stages = []

        async def progress(done, total, message):
            stages.append(message)

        await run("run_python_code", programs["python"], progress_callback=progress)
        assert len(stages) >= 2, stages

        stages.clear()
        call = asyncio.create_task(run("run_python_code", programs["endless"], progress_callback=progress))
        while not any("running" in s for s in stages):
            await asyncio.sleep(0.01)
        began = time.monotonic()
        call.cancel()
        try:
            await call
        except asyncio.CancelledError:
            pass
        assert (await run("run_python_code", programs["python"])).content[0].text == "42"
        print(f"list, python, javascript, denial, image, progress, cancel ({(time.monotonic() - began) * 1000:.0f} ms): ok")


asyncio.run(main())
