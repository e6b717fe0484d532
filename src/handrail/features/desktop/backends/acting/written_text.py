"""Whether a text has arrived in a field, told from what the field held before and holds now. Pure.

Fields change what is typed: one line has no line breaks, an editor makes a paragraph of each. Offsets are no proof
either, because toolkits count what is beyond the basic plane differently.
"""

from handrail.features.desktop.backends.acting.accessible import Writing

_OBJECT = "\ufffc"
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
    lines = [line for line in map(_folded, text.splitlines()) if line]
    if len(lines) < 2:
        return False
    # Where each paragraph is an element of its own, this one ends with the first line, or shows the others as objects.
    is_first = now.rstrip("\n") == before.text[: before.start] + text.splitlines()[0] != before.text
    return is_first or (_OBJECT in now and whole.count(lines[-1]) > _folded(before.text).count(lines[-1]))


def _folded(text: str) -> str:
    return text.translate(_BREAKS)
