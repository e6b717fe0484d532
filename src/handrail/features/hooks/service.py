"""The hook service on the server's local socket.

After the hello, the client sends as many bytes of the event as `bytes` says. The answer is one line, `STATUS OUT ERR`,
followed by that many bytes for stdout and for stderr.
"""

from handrail.features.hooks.clients import CLIENTS
from handrail.features.hooks.hook_event import MOST_BYTES, HookCaller, answer_event
from handrail.kernel.local_service import LocalSession
from handrail.ports.errors import InvalidParams

_LONGEST_WAIT_SECONDS = 3600


async def serve(session: LocalSession) -> None:
    hello = session.hello
    client, size, wait = hello.get("client"), hello.get("bytes"), hello.get("wait")
    if client not in CLIENTS or not isinstance(size, int) or not isinstance(wait, int) or not 0 <= size <= MOST_BYTES:
        raise InvalidParams("A hook's hello needs `client`, `bytes` and `wait` (in milliseconds).")
    data = await session.stream.read_exactly(size)
    caller = session.caller
    answer = await answer_event(
        session.project,
        HookCaller(caller.identity, caller.cage),
        client,
        data,
        max(0, min(wait / 1000, _LONGEST_WAIT_SECONDS)),
        session.stream.closed,
    )
    head = f"{answer.status} {len(answer.out)} {len(answer.err)}\n".encode()
    await session.stream.write(head + answer.out + answer.err)
