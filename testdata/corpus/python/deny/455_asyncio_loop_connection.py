import asyncio
async def main():
    loop = asyncio.get_running_loop()
    try:
        await loop.create_connection(asyncio.Protocol, "127.0.0.1", 1)
    except OSError:
        pass
asyncio.run(main())
