"""A server that handrail starts: one process behind a keeper, one JSON text per line in each direction.

When handrail closes the lifeline or dies, the keeper ends the server and everything that it started.
"""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from handrail.features.apps.offers import Child, EndReason
from handrail.features.gateway.session import LONGEST_MESSAGE, Session, offline
from handrail.kernel.visible import one_line
from handrail.ports.errors import BadAnswer, Failure
from handrail.ports.process_supervisor import supervised_command

_INHERITED = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "TZ"),
    *("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
)
_SECONDS_TO_WRITE = 30.0
_LONGEST_WORDS = 300


def environment(own: Mapping[str, str], environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables that a server gets: where programs and folders are, but none of the person's keys."""
    inherited = {name: value for name, value in environ.items() if name in _INHERITED or name.startswith("LC_")}
    return {**inherited, **own}


class ProcessChannel:
    def __init__(self, name: str, child: Child) -> None:
        self._name = name
        self._child = child
        self._turn = asyncio.Lock()

    @classmethod
    async def start(
        cls,
        name: str,
        command: Sequence[str],
        env: Mapping[str, str],
        folder: str,
        session: Session,
        on_stderr: Callable[[bytes], None],
    ) -> "ProcessChannel":
        """Offline."""
        lifeline, our_end = os.pipe()
        is_open = True

        def close_lifeline() -> None:
            nonlocal is_open
            if is_open:
                is_open = False
                os.close(our_end)

        def on_lines(lines: list[bytes]) -> None:
            for line in lines:
                if session.end is None:
                    session.receive(line)

        def on_end(reason: EndReason) -> None:
            session.fail(_end_failure(name, reason, child.last_words))

        try:
            child = await Child.start(
                supervised_command(command, lifeline),
                environment(env),
                folder,
                LONGEST_MESSAGE,
                on_lines,
                on_end,
                on_stderr=on_stderr,
                kill=close_lifeline,
                pass_fds=(lifeline,),
            )
        except OSError as error:
            close_lifeline()
            raise offline(name, f"can't be started: {error.strerror or error}") from None
        finally:
            os.close(lifeline)
        return cls(name, child)

    async def send(self, message: bytes, *, is_request: bool) -> None:
        try:
            async with asyncio.timeout(_SECONDS_TO_WRITE), self._turn:
                await self._child.write(message)
        except (ConnectionError, RuntimeError):
            raise offline(self._name, "has closed its stdin") from None
        except TimeoutError:
            raise offline(self._name, f"has not read its stdin for {_SECONDS_TO_WRITE:g} s") from None

    def set_version(self, version: str) -> None:
        """Nothing to do: lines are the same in every version."""

    def abort(self) -> None:
        self._child.kill()

    async def close(self) -> None:
        with suppress(ProcessLookupError):
            await self._child.close()


def _end_failure(name: str, reason: EndReason, last_words: str) -> Failure:
    details = {"stderr": last_words} if last_words else {}
    match reason:
        case "too long":
            return BadAnswer(f"{name} sent a message of more than {LONGEST_MESSAGE} bytes.", **details)
        case "not understood":
            return BadAnswer(f"{name} sent output that can't be read.", **details)
        case _:
            last = last_words.rpartition("\n")[2][:_LONGEST_WORDS]
            return offline(name, f"ended: {one_line(last)}" if last else "ended", **details)
