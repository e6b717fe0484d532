"""The scripts of a project's package.json: what `npm run NAME` would run, step by step."""

import shlex
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from handrail.kernel import strict_json
from handrail.ports.errors import Damaged, Declined, Failure, NotFound
from handrail.ports.files import Folder

PACKAGE = "package.json"
_MOST_BYTES = 1024 * 1024


class Step(NamedTuple):
    """One command line of the package's, and what is put behind it word for word."""

    event: str
    line: str
    args: tuple[str, ...] = ()

    @property
    def command(self) -> list[str]:
        """The shell reads the package's own line alone: the arguments come to it as words, never as text."""
        return ["/bin/sh", "-c", f'{self.line} "$@"' if self.args else self.line, self.event, *self.args]

    @property
    def shown(self) -> str:
        return f"{self.line} {shlex.join(self.args)}" if self.args else self.line


class Package(NamedTuple):
    name: str
    version: str
    scripts: Mapping[str, str]

    def steps(self, script: str, args: Sequence[str]) -> tuple[Step, ...]:
        """With what the package wants done before and after it."""
        if script not in self.scripts:
            near = get_close_matches(script, self.scripts, n=3, cutoff=0.5) or sorted(self.scripts)[:10]
            raise Declined(
                f"{PACKAGE} has no script named {script!r}.",
                hint=f"It has {', '.join(near)}." if near else "It has no scripts at all.",
                scriptName=script,
                scripts=sorted(self.scripts)[:50],
            )
        events = (f"pre{script}", script, f"post{script}")
        return tuple(
            Step(event, self.scripts[event], tuple(args) if event == script else ())
            for event in events
            if event in self.scripts
        )


def read_package(files: Folder) -> Package:
    """NotFound, Damaged."""
    try:
        data = files.read(PACKAGE, _MOST_BYTES)
    except NotFound:
        raise NotFound(f"The project has no {PACKAGE}, and so no scripts.", path=PACKAGE) from None
    try:
        document = strict_json.decode(data.removeprefix(b"\xef\xbb\xbf"), max_bytes=_MOST_BYTES)
    except Failure as wrong:
        raise _damaged(wrong.message, **wrong.details) from None
    if not isinstance(document, dict):
        raise _damaged("It must be a JSON object.")
    return Package(_text(document.get("name")), _text(document.get("version")), _scripts(document.get("scripts", {})))


def _scripts(listed: Any) -> dict[str, str]:
    if not isinstance(listed, dict):
        raise _damaged("`scripts` must be an object.")
    for name, line in listed.items():
        if not isinstance(line, str) or "\0" in line:
            raise _damaged(f"The script {name!r} must be a text.")
    return listed


def _text(value: Any) -> str:
    return value if isinstance(value, str) and "\0" not in value else ""


def _damaged(message: str, **details: Any) -> Damaged:
    return Damaged(f"{PACKAGE} can't be read: {message}", hint=f"Mend {PACKAGE} first.", **{**details, "path": PACKAGE})
