"""What `find` means, literal text or a regular expression, and its replacement in bounded space."""

import re
from collections.abc import Callable

from handrail.features.workspace.replacing import Replacer
from handrail.ports.errors import InvalidParams, TooLarge

_LITERAL_FORM = re.compile(r"/(?P<pattern>.+)/(?P<flags>[dgimsuvy]*)", re.DOTALL)
_INLINE_FLAGS = frozenset("ims")
_IMPLIED_FLAGS = frozenset("gu")
_MAX_RESULT = 64 * 1024 * 1024


def replace_all(
    replacer: Replacer, text: bytes, find: str, replacement: str, flags: str | None, checkpoint: Callable[[], None]
) -> tuple[bytes, int]:
    """The text with every occurrence replaced, and how many there were."""
    if not find:
        raise InvalidParams("`find` is empty.", fieldErrors=[{"field": "find", "message": "must not be empty"}])
    regex = _regex_of(find, flags)
    if regex is None:
        return _replace_literal(text, find.encode(), replacement.encode())
    return replacer.replace(text, _pattern(*regex), replacement.encode(), checkpoint)


def _regex_of(find: str, flags: str | None) -> tuple[str, str] | None:
    """Pattern and flags where `find` is a regular expression, None where it is literal."""
    if form := _LITERAL_FORM.fullmatch(find):
        return form["pattern"], form["flags"] + (flags or "")
    if flags is not None or find.startswith("(?"):
        return find, flags or ""
    return None


def _replace_literal(text: bytes, find: bytes, replacement: bytes) -> tuple[bytes, int]:
    count = text.count(find)
    _check_size(len(text) + count * (len(replacement) - len(find)))
    return text.replace(find, replacement), count


def _pattern(pattern: str, flags: str) -> str:
    unknown = set(flags) - _INLINE_FLAGS - _IMPLIED_FLAGS
    if unknown:
        raise InvalidParams(f"Unknown regex flags: {''.join(sorted(unknown))}.", hint="Known are g, i, m, s, u.")
    inline = "".join(sorted(set(flags) & _INLINE_FLAGS))
    return f"(?{inline}){pattern}" if inline else pattern


def _check_size(size: int) -> None:
    if size > _MAX_RESULT:
        raise TooLarge(f"The result would be larger than {_MAX_RESULT} bytes.", maxBytes=_MAX_RESULT)
