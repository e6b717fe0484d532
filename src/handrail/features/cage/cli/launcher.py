"""Runs an agent in its cage from start to end. The agent starts while most of handrail is still being imported."""

from __future__ import annotations

import gc
import os
import socket
import sys
from contextlib import ExitStack, contextmanager, suppress

from handrail.features.cage.launch import CageRefused, start_cage
from handrail.features.cage.preparation import prepare
from handrail.features.cage.run_folder import filter_cache, write_record
from handrail.features.cage.terminal import Terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from handrail.features.cage.launch import CagedAgent
    from handrail.features.cage.preparation import PreparedRun, RunRequest
    from handrail.kernel.program import Program


def run_in_cage(
    request: RunRequest, state: str | None, ports: Sequence[int], open_program: Callable[[], Program]
) -> int:
    """Returns the agent's exit code, or raises a Failure that says why the agent couldn't start."""
    terminal = Terminal()
    try:
        with ExitStack() as stack:
            prepared, caged, hooks = _start(request, state, terminal, stack)
            _print(prepared.start_message)
            level = prepared.confinement.level
            caged.start()
            gc.enable()
            from pathlib import Path

            from handrail.features.cage.cli.host import CageHost
            from handrail.features.cage.session import CageFolder
            from handrail.features.review.offers import saving_base

            if level == "full":  # a narrow cage has saved its base before it made its copy
                stack.enter_context(saving_base(prepared.project, Path(prepared.folder.base)))
            host = CageHost(open_program, caged, prepared, hooks, ports)
            host.start()
            code = terminal.run(caged)
            host.end()
    finally:
        terminal.close()
    CageFolder(Path(prepared.folder.path)).end(code)
    if host.failure is not None:
        raise host.failure
    _print(_summary(prepared))
    return code


def _start(
    request: RunRequest, state: str | None, terminal: Terminal, stack: ExitStack
) -> tuple[PreparedRun, CagedAgent, socket.socket]:
    """Starts the cage at the highest level that this machine supports."""
    prepared = prepare(request, state, os.urandom(32).hex())
    if prepared.confinement.level == "full":
        try:
            with ExitStack() as entered:
                hooks = _lock_run(prepared, entered)
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
            prepared = prepare(request, state, prepared.token, confinement=lower)
    from handrail.features.cage.narrow.run import start

    hooks = _lock_run(prepared, stack)
    caged, warning = start(prepared, terminal.streams)
    _record(prepared)
    if warning is not None:
        _print(warning)
    return prepared, caged, hooks


def _record(prepared: PreparedRun) -> None:
    command, level = prepared.spec.command, prepared.confinement.level
    write_record(prepared.folder, prepared.project, prepared.client_name, command, level)


def _lock_run(prepared: PreparedRun, stack: ExitStack) -> socket.socket:
    stack.enter_context(prepared.folder.lock())
    return stack.enter_context(_listen_for_hooks(prepared.hooks))


def _print(message: str) -> None:
    if not message.isprintable():  # a folder's or program's name may try to control the terminal
        from handrail.kernel.visible import one_line

        message = one_line(message)
    print(f"handrail: {message}", file=sys.stderr, flush=True)


@contextmanager
def _listen_for_hooks(folder: str) -> Iterator[socket.socket]:
    """Listens before the agent starts: a hook that can't connect denies the call."""
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


def _summary(prepared: PreparedRun) -> str:
    if prepared.confinement.level == "narrow":
        return "the agent has ended. Review: handrail review"
    upper, changed = prepared.folder.upper, 0
    os.chmod(upper, 0o700)  # the agent may have closed it
    has_git = os.path.isdir(f"{upper}/.git")
    closed: list[OSError] = []
    for _, folders, files in os.walk(upper, onerror=closed.append):
        if ".git" in folders:
            folders.remove(".git")  # review lists commits separately, and no repository inside the project
        changed += len(files)
    changed += len(closed)
    if changed == 0:
        return (
            "the agent changed no files. Commits: handrail review --commits" if has_git else "the agent changed nothing"
        )
    return f"the agent changed {changed} file{'' if changed == 1 else 's'}. Review: handrail review"
