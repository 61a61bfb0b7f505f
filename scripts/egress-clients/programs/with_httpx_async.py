import asyncio

import httpx


async def main():
    async with httpx.AsyncClient(http2=True) as c:
        hello = "https://api.test.example:8443/v1/hello"
        print(*(r.json()["body"] for r in await asyncio.gather(*(c.post(hello, content=str(n)) for n in range(9)))))
        async with c.stream("GET", "https://api.test.example:8443/v1/events?id=httpx_async") as r:
            async for line in r.aiter_lines():
                if line.startswith("data: "):
                    n = int(line[6:])
                    print("event", n)
                    await c.get(f"https://api.test.example:8443/v1/seen?id=httpx_async&n={n}")


asyncio.run(main())
