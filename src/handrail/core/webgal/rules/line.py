"""A line as the rules look at it."""

from collections.abc import Iterator

from handrail.core.webgal.arguments import SEPARATOR
from handrail.core.webgal.commands import BY_TYPE, SAY, Command
from handrail.core.webgal.findings import Edit, Finding
from handrail.core.webgal.javascript import BLANKS
from handrail.core.webgal.sentences import Sentence, split_comment

Findings = Iterator[Finding]


class Line:
    """Findings of a line stand on line 0 until its scene tells the number: the same text is looked at once."""

    __slots__ = ("command", "content", "has_semicolon", "is_dialogue", "sentence", "statement", "text")

    def __init__(self, text: str, sentence: Sentence) -> None:
        self.text = text
        self.sentence = sentence
        self.command: Command = BY_TYPE[sentence.command]
        self.is_dialogue = sentence.command == SAY
        self.statement, remark = split_comment(text)
        self.has_semicolon = remark is not None
        head, colon, body = self.statement.partition(":")
        # As it is written, without the folder that the engine puts in front.
        self.content = (body if colon else head).partition(SEPARATOR)[0].strip(BLANKS)

    @property
    def has_speaker(self) -> bool:
        return self.is_dialogue and bool(self.sentence.args) and self.sentence.args[0][0] == "speaker"

    def at(self, piece: str, code: str, edit: str | None = None, *, is_safe: bool = True, **values: str) -> Finding:
        """A finding about the last place of this piece; with `edit`, what belongs there."""
        start = max(self.text.rfind(piece), 0) if piece else 0
        end = start + len(piece)
        return Finding(code, 0, start, end, values, None if edit is None else Edit(start, end, edit, is_safe))

    def between(
        self, start: int, end: int, code: str, edit: str | None = None, *, is_safe: bool = True, **values: str
    ) -> Finding:
        return Finding(code, 0, start, end, values, None if edit is None else Edit(start, end, edit, is_safe))

    def whole(self, code: str, **values: str) -> Finding:
        return Finding(code, 0, 0, len(self.text), values)
