# attack: talks to itself through socket pairs and unix sockets, in an event loop
# must: accepted
# prints: HELLO 3
import asyncio
import os


async def main():
    async def serve(reader, writer):
        writer.write((await reader.readline()).upper())
        await writer.drain()
        writer.close()

    server = await asyncio.start_unix_server(serve, "/tmp/socket")
    reader, writer = await asyncio.open_unix_connection("/tmp/socket")
    writer.write(b"hello\n")
    answer = (await reader.read()).decode().strip()
    process = await asyncio.create_subprocess_exec("/bin/sh", "-c", "exit 3")
    print(answer, await process.wait())
    writer.close()
    server.close()


asyncio.run(main())
os.unlink("/tmp/socket")
