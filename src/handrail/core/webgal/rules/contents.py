"""Contents that the engine can't use as they are: assignments, conditions, JSON, numbers, names."""

import re

from handrail.core.webgal.commands import Content
from handrail.core.webgal.conditions import CONDITIONAL_EQUALS, unpaired
from handrail.core.webgal.javascript import number
from handrail.core.webgal.nearness import nearest
from handrail.core.webgal.rules.json_text import fault
from handrail.core.webgal.rules.line import Findings, Line

_SPECIAL = re.compile(r"[%#]")


def check(line: Line) -> Findings:
    content, kind = line.content, line.command.content
    if line.is_dialogue and content == "none":
        yield line.at(content, "WG301")
    yield from _condition(line)
    if kind is Content.LABEL and content in ("", "none"):
        yield line.whole("WG122")
    if not content or ("{" in content and kind not in (Content.TRANSFORM, Content.FRAMES)):
        return
    if kind is Content.ASSIGNMENT and "=" not in content and ":" in line.statement:
        yield line.at(content, "WG114")
    elif kind is Content.MILLISECONDS and ":" in line.statement and number(content) is None:
        yield line.at(content, "WG116", value=content)
    elif kind in (Content.TRANSFORM, Content.FRAMES) and ":" in line.statement:
        yield from _json(line, content)
    elif kind is Content.FILE and (special := _SPECIAL.search(content)) and "://" not in content:
        yield line.at(content, "WG307", char=special.group())
    elif (
        line.command.choices
        and content not in line.command.choices
        and (near := nearest(content, line.command.choices))
    ):
        yield line.at(content, "WG314", near[0], is_safe=False, value=content, near=near[0])


def _json(line: Line, content: str) -> Findings:
    why = fault(content)
    if why is None:
        return
    rest = line.statement.partition(" -")[2]
    if rest and fault(line.statement.partition(":")[2].rpartition("}")[0] + "}") is None:
        yield line.at(f"-{rest}", "WG110", rest=f"-{rest}")
    else:
        yield line.at(content, "WG111", why=why)


def _condition(line: Line) -> Findings:
    for key, value in line.sentence.args:
        if key == "when" and isinstance(value, str):
            yield from judge(line, value)


def judge(line: Line, condition: str) -> Findings:
    """A condition of any statement."""
    if CONDITIONAL_EQUALS.search(condition):
        yield line.at(condition, "WG115", CONDITIONAL_EQUALS.sub("==", condition))
    elif (what := unpaired(condition)) is not None:
        yield line.at(condition, "WG117", value=condition, what=what)
