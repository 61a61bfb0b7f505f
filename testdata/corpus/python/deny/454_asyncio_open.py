import asyncio
async def main():
    try:
        await asyncio.open_connection("127.0.0.1", 1)
    except OSError:
        pass
asyncio.run(main())
