"""Calls up who listens at a D-Bus address, and says who is calling. What is said then is others' matter."""

import asyncio
import os
import socket

from handrail.features.desktop.backends.atspi.address import unix_sockets


async def dialed(address: str) -> socket.socket:
    failure: OSError = ConnectionRefusedError(f"no Unix socket in the address {address}")
    for place in unix_sockets(address):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        sock.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(sock, place)
            await _authenticate(sock)
            return sock
        except OSError as error:
            sock.close()
            failure = error
        except BaseException:
            sock.close()
            raise
    raise failure


async def _authenticate(sock: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(sock, f"\0AUTH EXTERNAL {str(os.getuid()).encode().hex()}\r\n".encode())
    answer = b""
    while not answer.endswith(b"\r\n"):
        part = await loop.sock_recv(sock, 512)
        if not part or len(answer) > 4096:
            raise ConnectionRefusedError("no answer to the authentication")
        answer += part
    if not answer.startswith(b"OK "):
        raise ConnectionRefusedError(f"refused: {answer.decode(errors='replace').strip()}")
    await loop.sock_sendall(sock, b"BEGIN\r\n")
