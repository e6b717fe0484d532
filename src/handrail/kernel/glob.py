"""File patterns: `*`, `?`, `[a-z]`, `{a,b}` within a name, `**` across folders. Matched in linear time."""

import re
from collections.abc import Callable
from functools import lru_cache

from handrail.ports.errors import InvalidParams

MAX_PATTERN = 1000
_NOTHING = r"^\x00-\x{10ffff}"


_SPECIAL = re.compile(r"[*?\[{},]")
_HOME = re.compile(r"^~(?=/|$)")
"""At the beginning of a path in a rule, it means the home directory."""
_ESCAPED = re.compile(r"\[(.)\]", re.DOTALL)


def escape_pattern(path: str) -> str:
    """The pattern that matches exactly this path."""
    return _HOME.sub("[~]", _SPECIAL.sub(lambda found: f"[{found.group()}]", path))


def unescape_pattern(pattern: str) -> str | None:
    """The one path that a pattern from `escape_pattern` matches; None for any other pattern."""
    path = _ESCAPED.sub(lambda found: found.group(1), pattern)
    return path if escape_pattern(path) == pattern else None


@lru_cache(maxsize=256)
def matcher(pattern: str) -> Callable[[str], bool]:
    """A test for whole relative paths."""
    if len(pattern) > MAX_PATTERN:
        raise InvalidParams(f"The pattern is longer than {MAX_PATTERN} characters.")
    if _SPECIAL.search(pattern) is None:
        return pattern.__eq__
    import re2  # takes 12 ms to import, and most calls need no pattern

    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(_translated(pattern), options)
    except re2.error as error:
        reason = error.args[0] if error.args else error
        message = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise InvalidParams(f"The pattern {pattern!r} can't be read: {message}") from None
    return lambda path: compiled.fullmatch(path) is not None


@lru_cache(maxsize=256)
def subtree_matcher(pattern: str) -> Callable[[str], bool]:
    """A test for what the pattern matches and everything below it; the root matches everything."""
    plain = "/".join(part for part in pattern.split("/") if part not in ("", "."))
    if not plain:
        return lambda path: True
    matches, is_below = matcher(plain), matcher(plain + "/**")
    return lambda path: matches(path) or is_below(path)


@lru_cache(maxsize=256)
def app_matcher(pattern: str) -> Callable[[str], bool]:
    """A test for ids of apps that ignores case, because programs write both `Mousepad` and `mousepad`."""
    matches = matcher(pattern.casefold())
    return lambda app: matches(app.casefold())


def _translated(pattern: str) -> str:
    out: list[str] = ["(?s)"]
    open_braces = 0
    rest = pattern
    while rest:
        if rest.startswith("**/"):
            out.append("(?:[^/]+/)*")
            rest = rest[3:]
            continue
        if rest.startswith("**"):
            out.append(".*")
            rest = rest[2:]
            continue
        char, rest = rest[0], rest[1:]
        if char == "*":
            out.append("[^/]*")
        elif char == "?":
            out.append("[^/]")
        elif char == "[" and (end := rest.find("]", 2 if rest[:1] in ("!", "^") else 1)) != -1:
            members, rest = rest[:end], rest[end + 1 :]
            out.append(f"[^/{_class(members[1:])}]" if members[0] in "!^" else f"[{_class(members) or _NOTHING}]")
        elif char == "{" and "}" in rest:
            open_braces += 1
            out.append("(?:")
        elif char == "}" and open_braces:
            open_braces -= 1
            out.append(")")
        elif char == "," and open_braces:
            out.append("|")
        else:
            out.append(re.escape(char))
    return "".join(out)


def _class(members: str) -> str:
    """The members of a class in RE2's syntax, without the separator, which no class matches."""
    out = []
    while members:
        first = last = members[0]
        if len(members) > 2 and members[1] == "-":
            last, members = members[2], members[2:]
        members = members[1:]
        halves = ((first, "."), ("0", last)) if first <= "/" <= last else ((first, last),)
        out += [f"{re.escape(start)}-{re.escape(end)}" for start, end in halves if start <= end or first > last]
    return "".join(out)
