import random, asyncio
async def f(): return random
async def m():
    a,=await asyncio.gather(f())
    a._os.system("expr 40 + 1001")
asyncio.run(m())
