"""Contents that the engine can't use as they are: assignments, conditions, JSON, numbers, names."""

import re

from handrail.core.webgal.commands import Content
from handrail.core.webgal.conditions import compared, narrowed, unpaired, wide_sign
from handrail.core.webgal.javascript import number
from handrail.core.webgal.nearness import nearest
from handrail.core.webgal.rules.heads import guess
from handrail.core.webgal.rules.json_text import fault, repaired
from handrail.core.webgal.rules.line import Findings, Line

_SPECIAL = re.compile(r"[%#]")
_STEP = re.compile(r"(?P<name>[^\W\d][\w.$]*)\s*(?P<mark>\+\+|--)")
_ASSIGNMENT = re.compile(r"(?P<name>[^\W\d][\w.$]*)\s*(?P<mark>[+\-*/]=|==)\s*+(?P<value>[^=]+)")
_OPERATOR = re.compile(r"[+\-*/()]")
_NUMBER = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>%|ms|毫秒|s|秒|px)", re.IGNORECASE)
_WITH_BRACES = frozenset({Content.TRANSFORM, Content.FRAMES, Content.ASSIGNMENT})
_SHORT = 3
_NOT_OFF = frozenset({"disable", "disabled", "off", "false", "close", "hide", "stop", "exit"})


def check(line: Line) -> Findings:
    content, kind = line.content, line.command.content
    if line.is_dialogue and content == "none" and guess(line.sentence.speaker or "") is None:
        yield line.at(content, "WG301")
    yield from _condition(line)
    if kind is Content.LABEL and content in ("", "none"):
        yield line.whole("WG122")
    if not content or ("{" in content and kind not in _WITH_BRACES):
        return
    if kind is Content.ASSIGNMENT and ":" in line.statement:
        yield from _assignment(line, content)
    elif kind is Content.MILLISECONDS and ":" in line.statement and number(content) is None:
        yield line.at(content, "WG116", meant_number(content), is_safe=False, value=content)
    elif line.command.name == "filmMode" and content.lower() in _NOT_OFF:  # any text but none turns it on
        yield line.at(content, "WG314", "none", is_safe=False, value=content, near="none")
    elif kind in (Content.TRANSFORM, Content.FRAMES) and ":" in line.statement:
        yield from _json(line, content)
    elif kind is Content.FILE and (special := _SPECIAL.search(content)) and "://" not in content:
        yield line.at(content, "WG307", char=special.group())
    elif (
        line.command.choices
        and content not in line.command.choices
        and (near := nearest(content, line.command.choices, 1 if len(content) == _SHORT else None))
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
        yield line.at(content, "WG111", repaired(content), is_safe=False, why=why)


def _condition(line: Line) -> Findings:
    for key, value in line.sentence.args:
        if key == "when" and isinstance(value, str):
            yield from judge(line, value)


def judge(line: Line, condition: str) -> Findings:
    """A condition of any statement."""
    if (sign := wide_sign(condition)) is not None:
        yield line.at(condition, "WG130", narrowed(condition), mark=sign)
    elif (better := compared(condition)) != condition:
        yield line.at(condition, "WG115", better)
    elif (what := unpaired(condition)) is not None:
        yield line.at(condition, "WG117", value=condition, what=what)


def meant_number(value: str) -> str | None:
    """The number of a text with a unit, in milliseconds where it is a time."""
    found = _NUMBER.fullmatch(value)
    if found is None:
        return None
    return f"{float(found['number']) * 1000:g}" if found["unit"] in ("s", "S", "秒") else found["number"]


def _assignment(line: Line, content: str) -> Findings:
    if (step := _STEP.fullmatch(content)) is not None:
        name, mark = step["name"], step["mark"]
        yield line.at(content, "WG129", f"{name}={name}{mark[0]}1", mark=mark)
    elif (found := _ASSIGNMENT.fullmatch(content)) is not None:
        name, mark, value = found["name"], found["mark"], found["value"]
        if mark != "==":
            value = f"{name}{mark[0]}{f'({value})' if _OPERATOR.search(value) else value}"
        yield line.at(content, "WG129", f"{name}={value}", mark=mark)
    elif "=" not in content:
        if "＝" in content:
            yield line.at(content, "WG130", content.replace("＝", "=", 1), mark="＝")
        else:
            yield line.at(content, "WG114")
    elif "{" in content:
        return  # known only when the game runs, or data
    elif _OPERATOR.search(value := content.partition("=")[2]) and (what := unpaired(value)) is not None:
        yield line.at(value, "WG117", value=value, what=what)
