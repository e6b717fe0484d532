"""Loads settings: from flags, then `HANDRAIL_*` variables, then `<stateDir>/config.toml`."""

import errno
import os
import stat
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from handrail.kernel.policy_document import find_wrong_pattern
from handrail.ports.policy import Rule
from handrail.ports.presence import PresenceMode
from handrail.ports.settings import CONFIG_FILE, BrokenSettings, dates_as_text

_PREFIX = "HANDRAIL_"
FILE_ONLY = (
    "rules",
    "features",
    "presence",
    "questions_per_minute",
    "audit_witness",
    "audit_signer",
    "servers",
    "push_services",
)
"""Not read from the environment, which an agent could set."""

Kind = TypeVar("Kind")


class Settings(msgspec.Struct, frozen=True):
    """The kernel's settings. Every field is a key of config.toml, and most are also a `HANDRAIL_<FIELD>` variable."""

    host: str = "127.0.0.1"
    port: int = 6006
    open_console: bool = True
    call_person: bool = True
    evidence_max_days: int = 30
    evidence_max_megabytes: int = 1024
    elicit_approvals: bool = False
    compact_tools: bool = False
    """Lists only the tools that find and call all others."""
    warm_server: bool = True
    """`handrail mcp` forwards to one server for all clients, and starts it if none is running."""
    all_tools: bool = False
    """Lists every tool, except those that find others."""
    output_schemas: bool = False
    """Also lists the schema of each tool's result."""
    presence: PresenceMode = "critical"
    """Which approvals need proof that a person is present."""
    questions_per_minute: int = 20
    """How many questions one caller may ask people per minute."""
    audit_witness: str = ""
    """A folder, `git:FOLDER` or an address that gets every checkpoint of the audit."""
    audit_signer: tuple[str, ...] = ()
    """A command that signs checkpoints with a key that this account can't read."""
    features: tuple[str, ...] = ()
    """Features of other packages that a person has enabled."""
    rules: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ValueError("`port` must be between 0 and 65535")
        if self.questions_per_minute < 1:
            raise ValueError("`questions_per_minute` must be at least 1")


class AllSettings:
    """The kernel's settings, and each feature's by their type."""

    def __init__(self, common: Settings, of_features: Mapping[type[Any], Any]) -> None:
        self.common = common
        self._of_features = of_features

    def of(self, kind: type[Kind]) -> Kind:
        settings: Kind = self._of_features[kind]
        return settings


def load(
    state: Path,
    flags: Mapping[str, Any],
    environ: Mapping[str, str] = os.environ,
    *,
    kinds: Sequence[type[Any]] = (),
) -> AllSettings:
    """`flags` are from the command line, None if not set. `kinds` are the types of the features' settings."""
    file = state / CONFIG_FILE
    values = _from_file(file)
    every: Sequence[type[Any]] = (Settings, *kinds)
    names = [name for kind in every for name in kind.__struct_fields__]
    for name in values:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            raise BrokenSettings(f"{file}: unknown key `{name}`{hint}")
    set_flags = {name: value for name, value in flags.items() if value is not None}
    common = _converted(Settings, file, values, environ, set_flags)
    for number, rule in enumerate(common.rules, 1):
        if (wrong := find_wrong_pattern(rule)) is not None:
            raise BrokenSettings(f"{file}: rule {number}: {wrong[1]}")
    return AllSettings(common, {kind: _converted(kind, file, values, environ, set_flags) for kind in kinds})


def load_one(kind: type[Kind], state: Path, environ: Mapping[str, str] = os.environ) -> Kind:
    """Only these settings, as they are now. Other keys in the file are checked when a project is opened."""
    file = state / CONFIG_FILE
    return _converted(kind, file, _from_file(file), environ, {})


def presence_mode(state: Path) -> PresenceMode:
    """The current setting; the default if config.toml can't be read."""
    try:
        return load_one(Settings, state, {}).presence
    except BrokenSettings:
        return "critical"


def _converted(
    kind: type[Kind], file: Path, values: Mapping[str, Any], environ: Mapping[str, str], flags: Mapping[str, Any]
) -> Kind:
    names = kind.__struct_fields__  # type: ignore[attr-defined]
    from_environment = {
        name: environ[_PREFIX + name.upper()]
        for name in names
        if name not in FILE_ONLY and _PREFIX + name.upper() in environ
    }
    merged = {**values, **from_environment, **flags}
    try:
        return msgspec.convert({name: merged[name] for name in names if name in merged}, kind, strict=False)
    except msgspec.ValidationError as error:
        raise BrokenSettings(f"{file}: {error}{_near_name(str(error))}") from None


def _from_file(file: Path) -> dict[str, Any]:
    try:
        return dates_as_text(tomllib.loads(_read(file).decode()))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise BrokenSettings(f"{file}: {error}") from None


def _read(file: Path) -> bytes:
    """Reads only a regular file, so that it can't block on a fifo."""
    with open(os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(file))
        return opened.read()


def _near_name(message: str) -> str:
    unknown = message.partition("unknown field `")[2].partition("`")[0]
    near = get_close_matches(unknown, Rule.__struct_fields__, n=1) if unknown else []
    return f"; did you mean `{near[0]}`?" if near else ""
