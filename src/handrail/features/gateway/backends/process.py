"""A server that is started: one process behind a keeper, one JSON text a line each way.

The keeper ends the server and everything that it started when we close the lifeline, or die.
"""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from handrail.features.apps.offers import Child, Why
from handrail.features.gateway.session import LONGEST_MESSAGE, Session, offline
from handrail.kernel.visible import one_line
from handrail.ports.errors import BadAnswer, Failure
from handrail.ports.process_supervisor import supervised_command

_PASSED_ON = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "TZ"),
    *("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
)
_SECONDS_TO_WRITE = 30.0
_LONGEST_WORDS = 300


def environment(own: Mapping[str, str], environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What a server gets of ours: where programs and folders are, and no key of anybody's."""
    passed = {name: value for name, value in environ.items() if name in _PASSED_ON or name.startswith("LC_")}
    return {**passed, **own}


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
        said: Callable[[bytes], None],
    ) -> "ProcessChannel":
        """Offline."""
        lifeline, ours = os.pipe()
        is_held = True

        def let_go() -> None:
            nonlocal is_held
            if is_held:
                is_held = False
                os.close(ours)

        def heard(lines: list[bytes]) -> None:
            for line in lines:
                if session.end is None:
                    session.heard(line)

        def ended(why: Why) -> None:
            session.fail(_end_of(name, why, child.last_words))

        try:
            child = await Child.start(
                supervised_command(command, lifeline),
                environment(env),
                folder,
                LONGEST_MESSAGE,
                heard,
                ended,
                said=said,
                kill=let_go,
                pass_fds=(lifeline,),
            )
        except OSError as error:
            let_go()
            raise offline(name, f"can't be started: {error.strerror or error}") from None
        finally:
            os.close(lifeline)
        return cls(name, child)

    async def send(self, message: bytes, *, is_request: bool) -> None:
        try:
            async with asyncio.timeout(_SECONDS_TO_WRITE), self._turn:
                await self._child.write(message)
        except (ConnectionError, RuntimeError):
            raise offline(self._name, "has closed its input") from None
        except TimeoutError:
            raise offline(self._name, f"has not read its input for {_SECONDS_TO_WRITE:g} s") from None

    def negotiated(self, version: str) -> None:
        """Lines are the same in every version."""

    def break_off(self) -> None:
        self._child.kill()

    async def close(self) -> None:
        with suppress(ProcessLookupError):
            await self._child.close()


def _end_of(name: str, why: Why, last_words: str) -> Failure:
    details = {"stderr": last_words} if last_words else {}
    match why:
        case "too long":
            return BadAnswer(f"{name} sent a message of more than {LONGEST_MESSAGE} bytes.", **details)
        case "not understood":
            return BadAnswer(f"{name} sent what can't be read.", **details)
        case _:
            last = last_words.rpartition("\n")[2][:_LONGEST_WORDS]
            return offline(name, f"ended: {one_line(last)}" if last else "ended", **details)
