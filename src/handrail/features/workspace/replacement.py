"""Replaces literal text or a regular expression (`find`), with limits on time and size."""

import re
import subprocess
import sys
from collections.abc import Callable
from tempfile import TemporaryFile
from typing import Any

from handrail.features.workspace.backends import regex_program
from handrail.features.workspace.backends.regex_program import (
    MAX_RESULT,
    TOO_LARGE,
    compile_pattern,
    pack,
    replace_matches,
    unpack,
)
from handrail.features.workspace.javascript_regex import has_line_anchors, mark, to_re2, unmark
from handrail.ports.errors import InputOutput, InvalidParams, TooLarge

_SMALL = 40_000_000  # steps; takes a second at most
_LEAST_STEPS = 400  # what a byte costs if every byte is a match
_CHECK_EVERY = 0.1
_LITERAL_FORM = re.compile(r"/(?P<pattern>.+)/(?P<flags>[dgimsuvy]*)", re.DOTALL)
_INLINE_FLAGS = frozenset("ims")
_IMPLIED_FLAGS = frozenset("gu")


def replace_regex(
    text: bytes, pattern: str, replacement: bytes, checkpoint: Callable[[], None], original: str | None = None
) -> tuple[bytes, int]:
    """Replaces with RE2, which never backtracks. What may still take long runs in a child process, which can be
    stopped.

    The replacement may use $1, $<name>, $& and $$. `checkpoint` is called while it runs and may raise to stop it.
    An error quotes the `original`, which the pattern is a translation of.
    """
    regex = _compile(pattern, original)
    if len(text) * max(regex.programsize, _LEAST_STEPS) <= _SMALL:
        result = replace_matches(regex, text, replacement)
    else:
        result = _in_child(pattern.encode(), replacement, text, checkpoint)
    if result is None:
        raise _too_large()
    return result


def _compile(pattern: str, original: str | None = None) -> Any:
    import re2

    try:
        return compile_pattern(pattern.encode())
    except re2.error as error:
        if original is not None:
            _compile(original)
        reason = error.args[0] if error.args else error
        message = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise InvalidParams(
            f"The regular expression can't be compiled: {message}",
            hint="The syntax is RE2's: no lookahead, no lookbehind, no backreferences in `find`.",
            find=pattern[:200],
        ) from None


def _in_child(
    pattern: bytes, replacement: bytes, text: bytes, checkpoint: Callable[[], None]
) -> tuple[bytes, int] | None:
    """Passes data in unlinked files, so that neither side waits for a pipe."""
    with TemporaryFile() as task, TemporaryFile() as answer:
        task.write(pack(pattern, replacement, text))
        task.seek(0)
        with subprocess.Popen([sys.executable, "-P", regex_program.__file__], stdin=task, stdout=answer) as child:
            try:
                _wait(child, checkpoint)
            except BaseException:
                child.kill()
                raise
        if child.returncode == TOO_LARGE:
            return None
        if child.returncode != 0:
            raise InputOutput(f"The replacement ended with status {child.returncode}.")
        answer.seek(0)
        result, count = unpack(answer.read())
        return result, int(count)


def _wait(child: "subprocess.Popen[bytes]", checkpoint: Callable[[], None]) -> None:
    while True:
        try:
            child.wait(_CHECK_EVERY)
            return
        except subprocess.TimeoutExpired:
            checkpoint()


def replace_all(
    text: bytes, find: str, replacement: str, flags: str | None, checkpoint: Callable[[], None]
) -> tuple[bytes, int]:
    """Returns the text with every occurrence replaced, and how many there were."""
    if not find:
        raise InvalidParams("`find` is empty.", fieldErrors=[{"field": "find", "message": "must not be empty"}])
    regex = _regex_of(find, flags)
    if regex is None:
        return _replace_literal(text, find.encode(), replacement.encode())
    pattern, flags = regex
    inline = _inline_flags(flags)
    marked = mark(text) if has_line_anchors(pattern, flags) else None
    if marked is not None and (translated := to_re2(pattern, inline, is_marked=True)) is not None:
        result, count = replace_regex(marked, inline + translated, replacement.encode(), checkpoint, inline + pattern)
        return unmark(result), count
    plain = to_re2(pattern, inline, is_marked=False) or pattern
    return replace_regex(text, inline + plain, replacement.encode(), checkpoint, inline + pattern)


def _regex_of(find: str, flags: str | None) -> tuple[str, str] | None:
    """Returns pattern and flags if `find` is a regular expression, or None if it is literal text."""
    if form := _LITERAL_FORM.fullmatch(find):
        return form["pattern"], form["flags"] + (flags or "")
    if flags is not None or find.startswith("(?"):
        return find, flags or ""
    return None


def _replace_literal(text: bytes, find: bytes, replacement: bytes) -> tuple[bytes, int]:
    count = text.count(find)
    if len(text) + count * (len(replacement) - len(find)) > MAX_RESULT:
        raise _too_large()
    return text.replace(find, replacement), count


def _inline_flags(flags: str) -> str:
    """Returns the flags as RE2 expects them at the start of a pattern."""
    unknown = set(flags) - _INLINE_FLAGS - _IMPLIED_FLAGS
    if unknown:
        raise InvalidParams(f"Unknown regex flags: {''.join(sorted(unknown))}.", hint="Known are g, i, m, s, u.")
    inline = "".join(sorted(set(flags) & _INLINE_FLAGS))
    return f"(?{inline})" if inline else ""


def _too_large() -> TooLarge:
    return TooLarge(f"The result would be larger than {MAX_RESULT} bytes.", maxBytes=MAX_RESULT)
