"""The part of the analyst's day that goes over MCP, with FastMCP: see scripts/analyst."""

import asyncio
import os
import statistics
import sys
import time

from fastmcp import Client

there = sys.argv[1]


def program(name):
    return open(os.path.join(there, name + ".py")).read()


def say(what, seconds):
    print(f"| MCP: {what} | {seconds:.2f} s |" if seconds >= 1 else f"| MCP: {what} | {seconds * 1000:.0f} ms |", flush=True)


async def main():
    server = {"transport": "stdio", "command": os.environ["SALLYPORT"], "args": ["--config", os.environ["CONFIG"], "mcp"], "env": dict(os.environ)}
    async with Client({"mcpServers": {"sallyport": server}}) as session:
        await session.list_tools()

        async def run(name, **more):
            began = time.monotonic()
            r = await session.call_tool("run_python_code", {"code": program(name), "environment": "data", **more}, raise_on_error=False)
            took = time.monotonic() - began
            assert not r.is_error, r
            return r, took

        async def rested(name, times=11, **more):
            """The median over sandboxes that waited, as a person's calls find them."""
            all = []
            for _ in range(times):
                await asyncio.sleep(float(os.environ.get("REST", "5")))
                r, took = await run(name, **more)
                all.append(took)
            return r, statistics.median(all)

        sales = {"files": [{"path": "sales.csv", "from": "data:sales.csv"}]}
        await run("pandas")  # whatever waits, from now on does
        for name, what in ("one", "print(6 * 7)"), ("pandas", "import pandas, from a waiting sandbox"):
            r, took = await rested(name)
            assert r.content[0].text == "42", r
            say(what + ", median of 11", took)
        r, took = await run("head", **sales)
        assert r.content[0].text.startswith("day,region"), r
        say("the first line of 1 GB, with its hash", took)
        r, took = await rested("head", 5, **sales)
        say("the same again, median of 5", took)
        r, took = await run("day", **sales)
        kinds = [c.type for c in r.content]
        links = [c for c in r.content if c.type == "resource_link"]
        assert "image" in kinds and any(str(c.uri).endswith("result.csv") for c in links), r
        path = str(next(c.uri for c in links if str(c.uri).endswith("result.csv"))).removeprefix("file://")
        assert os.path.getsize(path) >= 100_000_000, path
        say("1 GB grouped and fitted, a plot in the answer and 100 MB in the outbox", took)


asyncio.run(main())
