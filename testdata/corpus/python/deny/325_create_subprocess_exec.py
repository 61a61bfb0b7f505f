import asyncio
async def main():
    p = await asyncio.create_subprocess_exec("true")
    await p.wait()
asyncio.run(main())
