"""The Python SDK as a client, over the protocol with a handshake."""

import asyncio
import json
import os
import time

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

programs = json.load(open(os.environ["PROGRAMS"]))


async def main():
    server = StdioServerParameters(command=os.environ["SALLYPORT"], args=["mcp"], env=dict(os.environ))
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
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
