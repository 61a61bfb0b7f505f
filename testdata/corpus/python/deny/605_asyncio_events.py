import asyncio
asyncio.events.subprocess.run(["true"])
