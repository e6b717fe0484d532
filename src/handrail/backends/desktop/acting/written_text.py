"""Whether a text has arrived in a field, told from what the field held before and holds now. Pure.

Fields change what is typed: one line has no line breaks, an editor makes a paragraph of each. Offsets are no proof
either, because toolkits count what is beyond the basic plane differently.
"""

from handrail.backends.desktop.acting.accessible import Writing

_BREAKS = str.maketrans("", "", "\r\n\u2028\u2029\u0085\t\u00a0\ufffc ↵")


def composed(before: Writing, text: str) -> str:
    """What the field should hold: the text in the place of what was selected."""
    return before.text[: before.start] + text + before.text[before.end :]


def has_arrived(before: Writing, text: str, now: str) -> bool:
    folded, whole = _folded(text), _folded(now)
    if whole == _folded(composed(before, text)):
        return True
    if not folded:
        return False
    if whole.count(folded) > _folded(before.text).count(folded):
        return True
    lines = text.splitlines()
    # Where each paragraph is an element of its own, this one ends with the first line.
    return len(lines) > 1 and now.rstrip("\n") == before.text[: before.start] + lines[0] != before.text


def _folded(text: str) -> str:
    return text.translate(_BREAKS)
