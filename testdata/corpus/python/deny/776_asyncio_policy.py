import asyncio
l=asyncio.get_event_loop_policy().new_event_loop()
async def m():
    await getattr(l,"subprocess_shell")(asyncio.SubprocessProtocol,"expr 40 + 1001",stdout=None); await asyncio.sleep(.2)
l.run_until_complete(m())
