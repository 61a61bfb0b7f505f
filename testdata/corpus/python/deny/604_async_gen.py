import os, asyncio
async def g():
    yield os
async def m():
    async for x in g():
        x.system("true")
asyncio.run(m())
