"""Runs a command in a cage from which a part was removed, and prints the results as JSON.

Run by `PlainUser.driven` in a separate process, because that process must belong to another user. The request has
`command`, and `without`: flags, refused system calls or other parts below. With `is_killed`, the launcher is killed
when everything is ready except the agent, which hasn't started yet.
"""

import json
import os
import shutil
import signal
import sys
from copy import copy
from pathlib import Path
from typing import Any, TypeVar

from handrail.features.cage import launch, syscalls
from handrail.features.cage.launch import CagedAgent, Streams, start_cage
from handrail.features.cage.levels import Confinement
from handrail.features.cage.narrow.launch import NarrowSpec, start_narrow
from handrail.features.cage.narrow.run import narrow_spec
from handrail.features.cage.preparation import RunRequest, prepare
from handrail.features.cage.spec import CageSpec, Mount
from tests.features.cage.outside import Outside
from tests.waiting import until

T = TypeVar("T")


def other(made: T, **fields: object) -> T:
    """Returns a copy with other values in these fields."""
    copied = copy(made)
    for name, value in fields.items():
        assert hasattr(copied, name)
        setattr(copied, name, value)
    return copied


def main(request: dict[str, Any]) -> None:
    expected = RunRequest(tuple(request["command"]), ".", mounts=request.get("mounts", ()))
    is_narrow = request.get("level") == "narrow"
    confinement = Confinement("narrow", None, "the test says so") if is_narrow else None
    prepared = prepare(expected, None, "token", confinement=confinement)
    if request.get("is_killed"):
        ready = start_cage(prepared.spec, Streams((0, 1, 2)), prepared.bubblewrap, f"{prepared.state}/cages")
        until(lambda: _is_ready(ready.pid))
        os.kill(os.getpid(), signal.SIGKILL)
    with Outside(Path.home()) as outside:
        facts = json.dumps({**outside.facts, "level": prepared.confinement.level})
        spec = other(prepared.spec, environment={**prepared.spec.environment, "OUTSIDE": facts})
        read, write = os.pipe()
        streams = Streams((os.open("/dev/null", os.O_RDONLY), write, 2))
        if is_narrow:
            shutil.copy("README.md", prepared.folder.copy)
            narrow = narrow_spec(other(prepared, spec=spec))
            for part in request.get("without", ()):
                narrow = _narrow_without(narrow, part)
            caged: CagedAgent = start_narrow(narrow, streams)
        else:
            for part in request.get("without", ()):
                spec = _without(spec, part)
            caged = start_cage(spec, streams, prepared.bubblewrap)
        os.close(write)
        outside.answer()
        caged.start()
        with open(read, "rb") as output:
            text = output.read().decode(errors="replace")
        code = caged.wait()
    changed = Path("README.md").read_text(encoding="utf-8")
    print(json.dumps({"said": text, "code": code, "readme": changed, "heard": outside.heard}))


def _is_ready(launched: int) -> bool:
    """Whether bubblewrap has made the agent's process namespace: then it runs twice, outside and inside."""
    below = [launched]
    for pid in below:
        below += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split())
    return [Path(f"/proc/{pid}/comm").read_text(encoding="ascii") for pid in below].count("bwrap\n") == 2


def _without(spec: CageSpec, part: str) -> CageSpec:
    if part == "network":
        return other(spec, has_own_network=False)
    if part == "overlay":
        return other(spec, has_overlay=False)
    if part == "empty root":
        home = str(Path.home())
        return other(spec, mounts=(Mount(home, home), *spec.mounts))
    if part == "hidden folders":
        return other(spec, hidden=())
    if part == "read-only mounts":
        return other(spec, mounts=[other(mount, is_writable=True) for mount in spec.mounts])
    if part == "closed descriptors":
        launch.close_all_but = lambda *descriptors: None
        os.set_inheritable(os.open("/dev/null", os.O_RDONLY), True)
        return spec
    if part == "calls that are newer":
        syscalls._newer_calls_refused = lambda: b""
        return spec
    if part == "environment":
        return other(spec, environment={**os.environ, **spec.environment})
    flags = [flag for flag in spec.flags if flag.name != part]
    refusal = [one for one in spec.refused if one.name != part]
    if len(flags) + len(refusal) == len(spec.flags) + len(spec.refused):
        raise ValueError(f"the cage has no part named {part!r}")
    return other(spec, flags=flags, refused=refusal)


def _narrow_without(narrow: NarrowSpec, part: str) -> NarrowSpec:
    if part in narrow.supervised:
        return narrow._replace(supervised=[call for call in narrow.supervised if call != part])
    less = narrow._replace(
        refused=[one for one in narrow.refused if one.name != part],
        landlock=[one for one in narrow.landlock if one.name != part],
    )
    if less == narrow:
        raise ValueError(f"the narrow cage has no part named {part!r}")
    return less


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
