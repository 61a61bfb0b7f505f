import random, asyncio
async def f(): return random
asyncio.run(f())._os.system("expr 40 + 1001")
