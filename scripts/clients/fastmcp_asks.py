"""FastMCP as a client whose call waits for another person: it says what it is told
on the way, each thing once, and then what came back."""

import asyncio
import json
import os

from fastmcp import Client
from fastmcp.client.auth import ClientCredentialsOAuthProvider


async def main():
    at = json.loads(os.environ["SERVICE"])
    said = set()

    async def progress(done, total, message):
        if message.startswith("waiting for a person") and not said:
            said.add(message)
            print(message, flush=True)

    login = ClientCredentialsOAuthProvider(client_id=at["id"], client_secret=at["secret"], scopes="run check")
    async with Client(at["url"], auth=login, progress_handler=progress) as session:
        result = await session.call_tool("run_python_code", {"code": os.environ["PROGRAM"]})
        print(result.content[0].text, flush=True)


asyncio.run(main())
