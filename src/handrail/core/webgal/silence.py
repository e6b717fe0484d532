"""Rules that an author has silenced: `;nolint WG101` on a line or before it, `;nolint-file WG101` for the scene."""

import re
from collections.abc import Collection, Iterable

from handrail.core.webgal.findings import Finding
from handrail.core.webgal.sentences import COMMENT, Sentence

_WORD = re.compile(
    r"nolint(?P<file>-file)?\b[\s:：]*(?P<codes>[A-Za-z]{2}\d{3}(?:[\s,，]+[A-Za-z]{2}\d{3})*)?", re.ASCII
)
_ALL = "*"


class Silence:
    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self._everywhere: set[str] = set()
        self._on: dict[int, set[str]] = {}
        waiting: set[str] = set()
        for number, sentence in enumerate(sentences, start=1):
            is_comment = sentence.command == COMMENT
            said = sentence.content if is_comment else sentence.comment
            found = _WORD.match(said) if said.startswith("nolint") else None
            codes = set(re.split(r"[\s,，]+", found["codes"].upper()) if found["codes"] else [_ALL]) if found else set()
            if found and found["file"]:
                self._everywhere |= codes
            elif is_comment:
                waiting |= codes  # for the next statement
            else:
                if codes or waiting:
                    self._on[number] = codes | waiting
                waiting = set()

    def lets_pass(self, finding: Finding) -> bool:
        return not (_covers(self._everywhere, finding.code) or _covers(self._on.get(finding.line, ()), finding.code))


NOTHING_SILENCED = Silence(())


def _covers(codes: Collection[str], code: str) -> bool:
    return bool(codes) and (_ALL in codes or code in codes)
