import asyncio.base_events as b
b.subprocess.run(["true"])
