import asyncio
asyncio.subprocess.subprocess.run(["true"])
