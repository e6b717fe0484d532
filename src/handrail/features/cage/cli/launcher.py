"""Runs an agent in its cage from first to last. The agent starts while handrail itself is still being loaded."""

from __future__ import annotations

import gc
import os
import socket
import sys
from contextlib import ExitStack, contextmanager, suppress

from handrail.features.cage.launch import CageRefused, start_cage
from handrail.features.cage.preparation import prepare
from handrail.features.cage.run_folder import begin, filter_cache
from handrail.features.cage.terminal import Terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from handrail.features.cage.launch import Caged
    from handrail.features.cage.preparation import Prepared, Wanted
    from handrail.kernel.program import Program


def run_in_cage(wanted: Wanted, state: str | None, ports: Sequence[int], open_program: Callable[[], Program]) -> int:
    """The agent's exit code. A Failure says why there is none."""
    terminal = Terminal()
    try:
        with ExitStack() as stack:
            prepared, caged, hooks = _started(wanted, state, terminal, stack)
            _say(prepared.first_line)
            level = prepared.confinement.level
            caged.start()
            gc.enable()
            from pathlib import Path

            from handrail.features.cage.cli.host import CageHost
            from handrail.features.cage.session import CageFolder
            from handrail.features.review.offers import base_being_saved

            if level == "full":  # a narrow cage's copy was made from it
                stack.enter_context(base_being_saved(prepared.project, Path(prepared.folder.base)))
            host = CageHost(open_program, caged, prepared, hooks, ports)
            host.start()
            code = terminal.run(caged)
            host.end()
    finally:
        terminal.close()
    CageFolder(Path(prepared.folder.path)).end(code)
    if host.failure is not None:
        raise host.failure
    _say(_summary(prepared))
    return code


def _started(
    wanted: Wanted, state: str | None, terminal: Terminal, stack: ExitStack
) -> tuple[Prepared, Caged, socket.socket]:
    """At the highest level that this machine allows, which its first line says."""
    prepared = prepare(wanted, state, os.urandom(32).hex())
    if prepared.confinement.level == "full":
        try:
            with ExitStack() as entered:
                hooks = _held(prepared, entered)
                cache = filter_cache(prepared.state)
                caged = start_cage(
                    prepared.spec, terminal.streams, prepared.bubblewrap, cache, lambda: _record(prepared)
                )
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
    _record(prepared)
    if trouble is not None:
        _say(trouble)
    return prepared, caged, hooks


def _record(prepared: Prepared) -> None:
    command, level = prepared.spec.command, prepared.confinement.level
    begin(prepared.folder, prepared.project, prepared.client_name, command, level)


def _held(prepared: Prepared, stack: ExitStack) -> socket.socket:
    stack.enter_context(prepared.folder.held())
    return stack.enter_context(_hooks_socket(prepared.hooks))


def _say(words: str) -> None:
    print(f"handrail: {words}", file=sys.stderr, flush=True)


@contextmanager
def _hooks_socket(folder: str) -> Iterator[socket.socket]:
    """Listens before the agent starts: a hook that finds nobody would deny."""
    os.mkdir(folder, mode=0o700)
    path = f"{folder}/local.sock"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
            listening.bind(path)
            listening.listen(64)
            yield listening
    finally:
        with suppress(FileNotFoundError):
            os.unlink(path)
        os.rmdir(folder)


def _summary(prepared: Prepared) -> str:
    if prepared.confinement.level == "narrow":
        return "the agent has ended. Review: handrail review"
    upper, touched = prepared.folder.upper, 0
    has_git = os.path.isdir(f"{upper}/.git")
    for folder, folders, files in os.walk(upper):
        if has_git and folder == upper:
            folders.remove(".git")  # its commits are shown apart
        touched += len(files)
    if touched == 0:
        return (
            "the agent changed no files. Commits: handrail review --commits" if has_git else "the agent changed nothing"
        )
    return f"the agent changed {touched} file{'' if touched == 1 else 's'}. Review: handrail review"
