import asyncio
l=asyncio.SelectorEventLoop()
async def m():
    await l.subprocess_shell(asyncio.SubprocessProtocol,"expr 40 + 1001",stdout=None); await asyncio.sleep(.2)
asyncio.set_event_loop(l)
l.run_until_complete(m())
