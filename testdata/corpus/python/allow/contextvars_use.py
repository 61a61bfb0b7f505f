import asyncio
import contextvars

request_id = contextvars.ContextVar("request_id", default="-")


async def handle(n):
    request_id.set(str(n))
    await asyncio.sleep(0)
    return request_id.get()


async def main():
    print(await asyncio.gather(*(handle(n) for n in range(3))))


asyncio.run(main())
