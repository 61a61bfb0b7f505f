"""FastMCP as a client, configured as guides print it: transport and command. Or of
the service that $SERVICE describes, with a login at its provider."""

import asyncio
import json
import os
import time

from fastmcp import Client
from fastmcp.client.auth import ClientCredentialsOAuthProvider

programs = json.load(open(os.environ["PROGRAMS"]))


def client(**more):
    if "SERVICE" not in os.environ:
        server = {"transport": "stdio", "command": os.environ["SALLYPORT"], "args": ["mcp"], "env": dict(os.environ)}
        return Client({"mcpServers": {"sallyport": server}}, **more)
    at = json.loads(os.environ["SERVICE"])
    return Client(at["url"], auth=ClientCredentialsOAuthProvider(client_id=at["id"], client_secret=at["secret"], scopes="run check"), **more)



async def main():
    stages = []

    async def progress(done, total, message):
        stages.append(message)

    async with client(progress_handler=progress) as session:
        tools = await session.list_tools()
        assert sorted(t.name for t in tools) == ["check_code", "run_javascript_code", "run_python_code"], tools

        async def run(name, code, **more):
            return await session.call_tool(name, {"code": code}, raise_on_error=False, **more)

        assert (await run("run_python_code", programs["python"])).content[0].text == "42"
        assert (await run("run_javascript_code", programs["javascript"])).content[0].text == "42"
        denied = await run("run_python_code", programs["denied"])
        assert denied.is_error and "Do not retry" in denied.content[0].text, denied

        async def typescript(code):
            return await session.call_tool("run_javascript_code", {"code": code, "typescript": True}, raise_on_error=False)

        assert (await typescript("interface A {\n  n: number;\n}\nconst a: A = { n: 42 };\nconsole.log(a.n);")).content[0].text == "42"
        denied = await typescript("interface A {\n  n: number;\n}\nrequire('node:child_process').exec('id');")
        assert denied.is_error and "line 4" in denied.content[0].text, denied
        kinds = [c.type for c in (await run("run_python_code", programs["image"])).content]
        assert "image" in kinds, kinds
        assert len(stages) >= 2, stages

        stages.clear()
        call = asyncio.create_task(run("run_python_code", programs["endless"]))
        while not any("running" in s for s in stages):
            await asyncio.sleep(0.01)
        began = time.monotonic()
        call.cancel()
        try:
            await call
        except asyncio.CancelledError:
            pass
        assert (await run("run_python_code", programs["python"])).content[0].text == "42"
        print(f"list, python, javascript, typescript, denial, image, progress, cancel ({(time.monotonic() - began) * 1000:.0f} ms): ok")


asyncio.run(main())
