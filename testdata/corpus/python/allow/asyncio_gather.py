import asyncio


async def work(n):
    await asyncio.sleep(0.01 * n)
    return n * n


async def main():
    results = await asyncio.gather(*(work(i) for i in range(5)))
    print(results)
    async with asyncio.timeout(1):
        await work(1)


asyncio.run(main())
