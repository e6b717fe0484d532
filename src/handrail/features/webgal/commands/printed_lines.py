"""What a program printed as lines that can be shown anywhere: nothing that a terminal would act on, none too long."""

import re

_LONGEST_LINE = 1000
# Colours, cursor movements and titles.
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def printed_lines(data: bytes) -> list[str]:
    text = _TERMINAL.sub("", data.decode(errors="replace")).replace("\r\n", "\n")
    found = text.removesuffix("\n").split("\n") if text else []
    return [_shortened(_UNSEEN.sub("", line.rpartition("\r")[2])) for line in found]


def _shortened(line: str) -> str:
    if len(line) <= _LONGEST_LINE:
        return line
    return f"{line[:_LONGEST_LINE]} … ({len(line) - _LONGEST_LINE} more characters)"
