"""Plain dialogue, found in a whole scene at once: it breaks no rule and names nothing but who speaks.

Most lines of a game are that. The expressions know no command: none begins with anything but a plain letter.
"""

import re

# Wide letters are those of a command that was typed in the wrong width.
_START = r"[^\x00-\x7f；：Ａ-Ｚａ-ｚ\s\ufeff]"
# A hyphen after a blank starts an argument, or was meant to. `*+` gives nothing back: a mark ends the try at once.
_HYPHEN = r"(?<![ \t\u3000\u00a0])-"
_HEAD = rf"[^:：;{{\\\n-]*+(?:{_HYPHEN}[^:：;{{\\\n-]*+)*+"
_TEXT = rf"[^;{{\\\n-]*+(?:{_HYPHEN}[^;{{\\\n-]*+)*+"
_BLANK = r"[\s\ufeff]*+"
_BODY = rf":(?!{_BLANK}none{_BLANK};){_TEXT}"
_END = r";[ \t]*+$"
REMARKABLE = re.compile(rf"^(?!(?:{_START}{_HEAD})?(?:{_BODY})?{_END}|;|$).+$", re.MULTILINE)
"""Every line that has to be looked at by itself."""

_SPEAKER = re.compile(rf"^((?:{_START}{_HEAD})?+)(?={_BODY}{_END})", re.MULTILINE)


def speakers_of(text: str) -> list[str]:
    """Who speaks in the lines that are not remarkable, once a line; blanks may follow a name."""
    return _SPEAKER.findall(text)
