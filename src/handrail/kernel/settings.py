"""Settings: flags first, then `HANDRAIL_*`, then `<stateDir>/config.toml`."""

import errno
import os
import stat
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import msgspec

from handrail.kernel.policy_document import wrong_pattern
from handrail.ports.policy import Rule
from handrail.ports.settings import CONFIG_FILE, BrokenSettings

_PREFIX = "HANDRAIL_"
_FEWEST_TOKENS = 2_000


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every field is a key of config.toml and, but for the rules, a `HANDRAIL_<FIELD>` variable."""

    host: str = "127.0.0.1"
    port: int = 6006
    open_console: bool = True
    call_person: bool = True
    evidence_max_days: int = 30
    evidence_max_megabytes: int = 1024
    legacy_events: bool = False
    elicit_approvals: bool = False
    desktop: bool = True
    app_tools: bool = False
    terre: Literal["auto", "required", "off"] = "auto"
    terre_port: int = 3001
    model: str = ""
    model_base_url: str = ""
    model_context_tokens: int = 100_000
    agent_most_steps: int = 100
    agent_most_cost: float = 5.0
    rules: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ValueError("`port` must be between 0 and 65535")
        if not 0 < self.terre_port <= 65535:
            raise ValueError("`terre_port` must be between 1 and 65535")
        if self.model_context_tokens < _FEWEST_TOKENS:
            raise ValueError(f"`model_context_tokens` must be at least {_FEWEST_TOKENS}")
        if self.agent_most_steps < 1 or not self.agent_most_cost >= 0:
            raise ValueError("`agent_most_steps` must be at least 1, and `agent_most_cost` no less than 0")


def load(state: Path, flags: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> Settings:
    """`flags` holds what was given on the command line; None means not given."""
    file = state / CONFIG_FILE
    values = {**_from_file(file), **_from_environment(environ)}
    values |= {name: value for name, value in flags.items() if value is not None}
    try:
        settings = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise BrokenSettings(f"{file}: {error}{_near_name(str(error))}") from None
    for number, rule in enumerate(settings.rules, 1):
        if (wrong := wrong_pattern(rule)) is not None:
            raise BrokenSettings(f"{file}: rule {number}: {wrong[1]}")
    return settings


def _from_file(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_read(file).decode())
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise BrokenSettings(f"{file}: {error}") from None


def _read(file: Path) -> bytes:
    """Only of a regular file, so that nobody waits for a fifo."""
    with open(os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(file))
        return opened.read()


def _from_environment(environ: Mapping[str, str]) -> dict[str, str]:
    names = [name for name in Settings.__struct_fields__ if name != "rules"]
    return {name: environ[_PREFIX + name.upper()] for name in names if _PREFIX + name.upper() in environ}


def _near_name(message: str) -> str:
    unknown = message.partition("unknown field `")[2].partition("`")[0]
    near = get_close_matches(unknown, [*Settings.__struct_fields__, *Rule.__struct_fields__], n=1) if unknown else []
    return f"; did you mean `{near[0]}`?" if near else ""
