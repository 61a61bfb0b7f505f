import asyncio
async def m():
    l=asyncio.Future().get_loop()
    await l.subprocess_shell(asyncio.SubprocessProtocol,"expr 40 + 1001",stdout=None); await asyncio.sleep(.2)
asyncio.run(m())
