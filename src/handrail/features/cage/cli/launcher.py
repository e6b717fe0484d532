"""Runs an agent in its cage from first to last. The agent starts while handrail itself is still being loaded."""

import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.features.cage.launch import Caged, CageRefused, start_cage
from handrail.features.cage.preparation import Prepared, Wanted, prepare
from handrail.features.cage.run_folder import begin
from handrail.features.cage.terminal import Terminal

if TYPE_CHECKING:
    from handrail.kernel.program import Program


def run_in_cage(wanted: Wanted, state: Path | None, ports: Sequence[int], open_program: Callable[[], "Program"]) -> int:
    """The agent's exit code. A Failure says why there is none."""
    terminal = Terminal()
    try:
        with ExitStack() as stack:
            prepared, caged, hooks = _started(wanted, state, terminal, stack)
            _say(prepared.first_line)
            spec, level = prepared.spec, prepared.confinement.level
            begin(prepared.folder, prepared.project, prepared.client_name, spec.command, level)
            caged.start()
            from handrail.features.cage.cli.host import CageHost
            from handrail.features.cage.session import CageFolder
            from handrail.features.review.offers import base_being_saved

            if level == "full":  # a narrow cage's copy was made from it
                stack.enter_context(base_being_saved(prepared.project, prepared.folder.base))
            host = CageHost(open_program, caged, prepared, hooks, ports)
            host.start()
            code = terminal.run(caged)
            host.end()
    finally:
        terminal.close()
    CageFolder(prepared.folder.path).end(code)
    if host.failure is not None:
        raise host.failure
    _say(_summary(prepared))
    return code


def _started(
    wanted: Wanted, state: Path | None, terminal: Terminal, stack: ExitStack
) -> tuple[Prepared, Caged, socket.socket]:
    """At the highest level that this machine allows, which its first line says."""
    prepared = prepare(wanted, state, os.urandom(32).hex())
    if prepared.confinement.level == "full":
        try:
            with ExitStack() as entered:
                hooks = _held(prepared, entered)
                spec = prepared.spec
                caged = start_cage(spec, terminal.streams, prepared.bubblewrap, prepared.state / "cages")
                stack.push(entered.pop_all())
                return prepared, caged, hooks
        except CageRefused as refusal:
            from handrail.features.cage.levels import below_full

            lower = below_full(prepared.bubblewrap, refusal.why, refusal.hint or "")
            prepared.folder.remove()
            prepared = prepare(wanted, state, prepared.token, confinement=lower)
    from handrail.features.cage.narrow.run import start

    hooks = _held(prepared, stack)
    caged, trouble = start(prepared, terminal.streams)
    if trouble is not None:
        _say(trouble)
    return prepared, caged, hooks


def _held(prepared: Prepared, stack: ExitStack) -> socket.socket:
    stack.enter_context(prepared.folder.held())
    return stack.enter_context(_hooks_socket(prepared.hooks))


def _say(words: str) -> None:
    print(f"handrail: {words}", file=sys.stderr, flush=True)


@contextmanager
def _hooks_socket(folder: Path) -> Iterator[socket.socket]:
    """Listens before the agent starts: a hook that finds nobody would deny."""
    folder.mkdir(mode=0o700)
    path = folder / "local.sock"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
            listening.bind(str(path))
            listening.listen(64)
            yield listening
    finally:
        path.unlink(missing_ok=True)
        folder.rmdir()


def _summary(prepared: Prepared) -> str:
    if prepared.confinement.level == "narrow":
        return "the agent has ended. Review: handrail review"
    touched = sum(len(files) for _, _, files in os.walk(prepared.folder.upper))
    if touched == 0:
        return "the agent changed nothing"
    return f"the agent changed {touched} file{'' if touched == 1 else 's'}. Review: handrail review"
