"""How each field of a policy can be tightened, because an untrusted project's policy may only tighten.

`docs/settings.md` has the same table. Tests compare the two, and check that no field is missing.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec.structs import replace

from handrail.kernel.policy_document import Policies, PolicyDocument

_OURS = Policies()


class Field(NamedTuple):
    """`tightens` describes what an untrusted policy may set; `merged` combines our value with its value."""

    name: str
    tightens: str
    merged: Callable[[Any, Any], Any]


def _more_of(ours: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*ours, *theirs)))


def _fewer_of(ours: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(each for each in theirs if each in ours)


def _fixed(ours: Any, theirs: Any) -> Any:
    return ours


def _kept_longer(ours: int, theirs: int) -> int:
    """0 means that everything is kept."""
    return 0 if 0 in (ours, theirs) else max(ours, theirs)


FIELDS = (
    Field("sandbox_root", "can't be changed", _fixed),
    Field("forbidden_dirs", "more folders", _more_of),
    Field("write_requires_diff", "only true", lambda ours, theirs: ours or theirs),
    Field("max_auto_fix", "a smaller number", min),
    Field("batch_max_lines", "a smaller number", min),
    Field("allowed_commands", "fewer scripts", _fewer_of),
    Field("browser_allowed_hosts", "fewer hosts", _fewer_of),
    Field("snapshot_retention", "a greater number, or 0 for all", _kept_longer),
    Field("max_read_bytes", "a smaller number", min),
    Field("command_timeout_ms", "a smaller number", min),
    Field("command_args", "only false", lambda ours, theirs: ours and theirs),
    Field("redact_env", "more names", _more_of),
    Field("lint_on_write", "only true", lambda ours, theirs: ours or theirs),
    Field("lint_ignore", "fewer codes", _fewer_of),
)


def tighten(document: PolicyDocument) -> PolicyDocument:
    """An untrusted policy, limited to what may be tightened. `compose_policy` tightens its rules."""
    merged = {
        field.name: field.merged(getattr(_OURS, field.name), getattr(document.policies, field.name)) for field in FIELDS
    }
    return replace(document, mode="cline", policies=Policies(**merged))
