import asyncio

import aiohttp


async def main():
    async with aiohttp.ClientSession() as s:
        async with s.post("https://api.test.example:8443/v1/hello", data=b"hi") as r:
            print(await r.json())
        async with s.get("https://api.test.example:8443/v1/events?id=aiohttp") as r:
            async for line in r.content:
                if line.startswith(b"data: "):
                    n = int(line[6:])
                    print("event", n)
                    async with s.get(f"https://api.test.example:8443/v1/seen?id=aiohttp&n={n}"):
                        pass


asyncio.run(main())
