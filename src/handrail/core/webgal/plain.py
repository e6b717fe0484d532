"""Plain dialogue, told from all other lines of a scene at once: it breaks no rule and names nothing but who speaks.

Most lines of a game are that. The expression knows no command: none begins with anything but a plain letter.
"""

import re
from collections import Counter

from handrail.core.webgal.javascript import BLANKS

# Wide letters are those of a command that was typed in the wrong width.
_START = r"[^\x00-\x7f；：Ａ-Ｚａ-ｚ\s\ufeff]"
# A hyphen after a blank starts an argument, or was meant to. `*+` gives nothing back: a mark ends the try at once.
_HYPHEN = r"(?<![ \t\u3000\u00a0])-"
_HEAD = rf"{_START}[^:：;{{\\\n-]*+(?:{_HYPHEN}[^:：;{{\\\n-]*+)*+"
_TEXT = rf"[^;{{\\\n-]*+(?:{_HYPHEN}[^;{{\\\n-]*+)*+"
_BLANK = r"[\s\ufeff]*+"
_END = r";[ \t]*+$"
# One match a line: with a speaker, without one, a comment, nothing, or something else.
_LINE = re.compile(
    rf"^(?:((?:{_HEAD})?+:)(?!{_BLANK}none{_BLANK};){_TEXT}{_END}|{_HEAD}{_END}|;.*+$|$|(.+)$)", re.MULTILINE
)


def sifted(text: str) -> tuple[list[tuple[int, str]], Counter[str]]:
    """The lines that have to be looked at by themselves, with their numbers; and who speaks in the plain ones."""
    lines = _LINE.findall(text)
    heads = Counter([head for head, _ in lines if head])
    speakers: Counter[str] = Counter()
    for head, count in heads.items():
        speakers[head[:-1].rstrip(BLANKS)] += count
    return [(number, line) for number, (_, line) in enumerate(lines, start=1) if line], speakers
