import asyncio
class P:
    def connection_made(self, t): pass
    def pipe_data_received(self, fd, data): print(data)
    def process_exited(self): pass
    def pipe_connection_lost(self, fd, exc): pass
    def connection_lost(self, e): pass
async def main():
    l = asyncio.get_running_loop()
    await l._make_subprocess_transport(P(), "expr 1000 + 41", True, None, -1, None, 0)
    await asyncio.sleep(0.5)
asyncio.run(main())
