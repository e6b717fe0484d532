"""Runs an agent in its cage from first to last. The agent starts while handrail itself is still being loaded."""

import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.features.cage.launch import start_cage
from handrail.features.cage.preparation import Wanted, prepare
from handrail.features.cage.run_folder import begin
from handrail.features.cage.terminal import Terminal

if TYPE_CHECKING:
    from handrail.kernel.program import Program


def run_in_cage(wanted: Wanted, state: Path | None, ports: Sequence[int], open_program: Callable[[], "Program"]) -> int:
    """The agent's exit code. A Failure says why there is none."""
    prepared = prepare(wanted, state, os.urandom(32).hex())
    print(f"handrail: {prepared.first_line}", file=sys.stderr, flush=True)
    terminal = Terminal()
    try:
        with prepared.folder.held(), _hooks_socket(prepared.hooks) as hooks:
            caged = start_cage(prepared.spec, terminal.streams, prepared.bubblewrap, prepared.state / "cages")
            spec, level = prepared.spec, prepared.confinement.level
            begin(prepared.folder, spec.project, prepared.client_name, spec.command, level)
            caged.start()
            from handrail.features.cage.cli.host import CageHost
            from handrail.features.cage.session import CageFolder
            from handrail.features.review.offers import base_being_saved

            with base_being_saved(spec.project, prepared.folder.base):
                host = CageHost(open_program, caged, prepared, hooks, ports)
                host.start()
                code = terminal.run(caged)
                host.end()
    finally:
        terminal.close()
    CageFolder(prepared.folder.path).end(code)
    if host.failure is not None:
        raise host.failure
    print(f"handrail: {_summary(prepared.folder.upper)}", file=sys.stderr, flush=True)
    return code


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


def _summary(upper: Path) -> str:
    touched = sum(len(files) for _, _, files in os.walk(upper))
    if touched == 0:
        return "the agent changed nothing"
    return f"the agent changed {touched} file{'' if touched == 1 else 's'}. Review: handrail review"
