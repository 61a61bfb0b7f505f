import asyncio.base_events
asyncio.base_events.os.system("true")
