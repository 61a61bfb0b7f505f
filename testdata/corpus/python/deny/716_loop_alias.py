import asyncio
l = asyncio.new_event_loop()
l.run_until_complete(l.subprocess_exec(asyncio.SubprocessProtocol, "true"))
