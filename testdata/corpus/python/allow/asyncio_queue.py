import asyncio


async def producer(q):
    for i in range(3):
        await q.put(i)
    await q.put(None)


async def consumer(q):
    while (item := await q.get()) is not None:
        print("got", item)


async def main():
    q = asyncio.Queue(maxsize=2)
    await asyncio.gather(producer(q), consumer(q))


asyncio.run(main())
