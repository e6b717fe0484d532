"""Runs a command in a cage from which something was taken out, and prints what it said as JSON.

Run by `PlainUser.driven` in a process of its own, because that process must be another user's. The request has
`command`, and `without`: flags, refused system calls or other parts below. With `is_killed`, the launcher is killed
when all is ready but the agent, which it has not started yet.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from handrail.features.cage.launch import Streams, start_cage
from handrail.features.cage.preparation import Wanted, prepare
from handrail.features.cage.spec import CageSpec, Mount
from tests.features.cage.outside import Outside
from tests.waiting import until


def main(request: dict[str, Any]) -> None:
    wanted = Wanted(tuple(request["command"]), Path(), mounts=request.get("mounts", ()))
    prepared = prepare(wanted, None, "token")
    if request.get("is_killed"):
        caged = start_cage(prepared.spec, Streams((0, 1, 2)), prepared.bubblewrap, prepared.state / "cages")
        until(lambda: _is_ready(caged.pid))
        os.kill(os.getpid(), signal.SIGKILL)
    with Outside(Path.home()) as outside:
        facts = json.dumps(outside.facts)
        spec = prepared.spec._replace(environment={**prepared.spec.environment, "OUTSIDE": facts})
        for part in request.get("without", ()):
            spec = _without(spec, part)
        read, write = os.pipe()
        nothing = os.open("/dev/null", os.O_RDONLY)
        caged = start_cage(spec, Streams((nothing, write, 2)), prepared.bubblewrap, prepared.state / "cages")
        os.close(write)
        outside.answer()
        caged.start()
        with open(read, "rb") as output:
            said = output.read().decode(errors="replace")
        code = caged.wait()
    changed = Path("README.md").read_text(encoding="utf-8")
    print(json.dumps({"said": said, "code": code, "readme": changed, "heard": outside.heard}))


def _is_ready(launched: int) -> bool:
    """Whether bubblewrap has made the agent's process namespace: it is there twice, outside and inside."""
    below = [launched]
    for pid in below:
        below += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split())
    return [Path(f"/proc/{pid}/comm").read_text(encoding="ascii") for pid in below].count("bwrap\n") == 2


def _without(spec: CageSpec, part: str) -> CageSpec:
    if part == "network":
        return spec._replace(has_own_network=False)
    if part == "overlay":
        return spec._replace(has_overlay=False)
    if part == "empty root":
        home = str(Path.home())
        return spec._replace(mounts=(Mount(home, home), *spec.mounts))
    if part == "environment":
        return spec._replace(environment={**os.environ, **spec.environment})
    flags = [flag for flag in spec.flags if flag.name != part]
    refused = [one for one in spec.refused if one.name != part]
    if len(flags) + len(refused) == len(spec.flags) + len(spec.refused):
        raise ValueError(f"the cage has no part named {part!r}")
    return spec._replace(flags=flags, refused=refused)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
