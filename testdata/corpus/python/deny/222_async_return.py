import asyncio, os
async def g():
    return os
async def main():
    (await g()).system("true")
asyncio.run(main())
