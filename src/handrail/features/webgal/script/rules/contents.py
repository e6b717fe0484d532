"""Rules for contents that the engine can't use: assignments, conditions, JSON, numbers, names, options."""

import json
import re

from handrail.features.webgal.script.commands import Command, Content
from handrail.features.webgal.script.conditions import (
    unread_in_value,
    unread_name,
    unread_operand,
    wide_sign,
    with_narrow_signs,
    with_valid_comparisons,
)
from handrail.features.webgal.script.expressions import Fault, fault_in
from handrail.features.webgal.script.line import Findings, Line
from handrail.features.webgal.script.parser import BAR, COLON, CONDITIONS, SEPARATOR, conditions_of, number, read_option
from handrail.features.webgal.script.rules.effects import check_effect
from handrail.features.webgal.script.rules.heads import guess
from handrail.features.webgal.script.similar_names import nearest

_WIDE_MARKS = str.maketrans("｛｝［］：，“”", '{}[]:,""')
_BARE_KEY = re.compile(r"(?<=[{,])\s*([A-Za-z_]\w*)\s*(?=:)")
_HALF_KEY = re.compile(r'(?<=[{,])\s*(?:"(\w+)\s*(?=:[\d{["-])|(\w+)"\s*(?=:))')
_TRAILING_COMMA = re.compile(r",\s*(?=[}\]])")
# A string that never ends goes to the end of the text, so that the search doesn't restart at each quote in it.
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?')
_PAIRS = {"{": "}", "[": "]"}


def _refuse(name: str) -> float:
    raise ValueError(name)


def json_fault(text: str) -> str | None:
    """Returns the error message, or None."""
    try:
        json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        return f"{error.msg} ({error.pos + 1})"
    except (ValueError, RecursionError) as error:
        return str(error)
    return None


def repaired_json(text: str) -> str | None:
    """Fixes full-width signs, other quotes, unquoted names, extra commas and missing brackets."""
    better = text.translate(_WIDE_MARKS)
    if '"' not in better:
        better = better.replace("'", '"')
    for bare in (better, _HALF_KEY.sub(lambda match: f'"{match[1] or match[2]}"', better)):
        repaired = _closed(_TRAILING_COMMA.sub("", _BARE_KEY.sub(r'"\1"', bare)))
        if repaired != text and json_fault(repaired) is None:
            return repaired
    return None


def _closed(text: str) -> str:
    missing: list[str] = []
    for char in _STRING.sub("", text):
        if char in _PAIRS:
            missing.append(_PAIRS[char])
        elif missing and char == missing[-1]:
            missing.pop()
    return text + "".join(reversed(missing))


_SPECIAL = re.compile(r"[%#]")
_STEP = re.compile(r"(?P<name>[^\W\d][\w.$]*)\s*(?P<mark>\+\+|--)")
_ASSIGNMENT = re.compile(r"(?P<name>[^\W\d][\w.$]*)\s*(?P<mark>[+\-*/]=|==)\s*+(?P<value>[^=]+)")
_OPERATOR = re.compile(r"[+\-*/()]")
_SECOND_EQUALS = re.compile(r"[<>!]?=+")
_COMPARISON = re.compile(r"\s*!?[\w.$]+\s*(?P<mark>[<>]|&&|\|\|)\s*!?[\w.$]+\s*")
_CALL = re.compile(r"\s*(?P<name>[A-Za-z_$][\w$]*)\s*\(.*\)\s*")
_FUNCTION = "random"
"""The only function that engines know."""
_WORD_SIGN = re.compile(r"(?i)\b(and|or)\b")
_SINGLE_SIGN = re.compile(r"(?<!&)&(?!&)|(?<!\|)\|(?!\|)")
_NUMBER = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>%|ms|毫秒|s|秒|px)", re.IGNORECASE)
_WITH_BRACES = frozenset({Content.TRANSFORM, Content.FRAMES, Content.ASSIGNMENT})
_SHORT = 3
_NOT_OFF = frozenset({"disable", "disabled", "off", "false", "close", "hide", "stop", "exit"})


def check_content(line: Line) -> Findings:
    content, kind = line.content, line.command.content
    if line.is_dialogue and content == "none" and guess(line.sentence.speaker or "") is None:
        yield line.at(content, "WG301")
    yield from _when(line)
    if kind is Content.LABEL and content in ("", "none"):
        yield line.whole("WG122")
    if not content or ("{" in content and kind not in _WITH_BRACES):
        return
    if kind is Content.ASSIGNMENT and ":" in line.statement:
        yield from _check_assignment(line, content)
    elif kind is Content.MILLISECONDS and ":" in line.statement and number(content) is None:
        yield line.at(content, "WG116", meant_number(content), is_safe=False, value=content)
    elif line.command.name == "filmMode" and content.lower() in _NOT_OFF:  # any text but none turns it on
        yield line.at(content, "WG314", "none", is_safe=False, value=content, near="none")
    elif kind in (Content.TRANSFORM, Content.FRAMES) and ":" in line.statement:
        yield from _check_json(line, content)
    elif kind is Content.FILE and (special := _SPECIAL.search(content)) and "://" not in content:
        yield line.at(content, "WG307", char=special.group())
    elif line.command.name == "setTextbox" and content.lower() in _NOT_OFF - {"hide"}:  # any other text shows it
        yield line.at(content, "WG314", "hide", is_safe=False, value=content, near="hide")
    elif line.command.name == "applyStyle":
        yield from (
            line.at(each.strip(), "WG139", value=each.strip()) for each in content.split(",") if "->" not in each
        )
    elif line.command.name == "setComplexAnimation" and content not in line.command.choices:
        near = nearest(content, line.command.choices) or line.command.choices
        yield line.at(
            content, "WG314", near[0] if len(near) == 1 else None, is_safe=False, value=content, near=", ".join(near)
        )
    elif (
        line.command.choices
        and content not in line.command.choices
        and (near := nearest(content, line.command.choices, 1 if len(content) == _SHORT else None))
    ):
        yield line.at(content, "WG314", near[0], is_safe=False, value=content, near=near[0])


def _check_json(line: Line, content: str) -> Findings:
    why = json_fault(content)
    if why is None:
        yield from check_effect(line, content, is_list=line.command.content is Content.FRAMES)
        return
    rest = line.statement.partition(" -")[2]
    if rest and json_fault(line.statement.partition(":")[2].rpartition("}")[0] + "}") is None:
        yield line.at(f"-{rest}", "WG110", rest=f"-{rest}")
    else:
        yield line.at(content, "WG111", repaired_json(content), is_safe=False, why=why)


def _when(line: Line) -> Findings:
    for key, value in line.sentence.args:
        if key == "when" and isinstance(value, str):
            yield from check_condition(line, value)


def check_condition(line: Line, condition: str) -> Findings:
    """Checks the condition of any statement."""
    if (sign := wide_sign(condition)) is not None:
        yield line.at(condition, "WG130", with_narrow_signs(condition), mark=sign)
    elif (better := with_valid_comparisons(condition)) != condition:
        yield line.at(condition, "WG115", better)
    elif (name := unread_name(condition)) is not None:
        yield line.at(condition, "WG135", name=name)
    elif (fault := fault_in(condition, is_condition=True)) is not None:
        yield from _fault(line, condition, fault)
    elif (unread := unread_operand(condition)) is not None:
        readable = _readable(unread)
        fix = None if readable is None else f"{condition[: unread.start()]}{readable}{condition[unread.end() :]}"
        yield line.at(condition, "WG136", fix, is_safe=False, name=unread["name"], mark=unread["mark"])


def _fault(line: Line, expression: str, fault: Fault) -> Findings:
    if fault.is_unpaired:
        yield line.at(expression, "WG117", value=expression, what=fault.mark)
        return
    repaired = expression
    if fault.mark in ("&", "|"):
        repaired = _SINGLE_SIGN.sub(r"\g<0>\g<0>", expression)
    elif _WORD_SIGN.fullmatch(fault.mark):
        repaired = _WORD_SIGN.sub(lambda match: "&&" if match[0].lower() == "and" else "||", expression)
    fix = repaired if repaired != expression and fault_in(repaired, is_condition=True) is None else None
    yield line.at(expression, "WG131", fix, is_safe=False, value=expression, mark=fault.mark)


def _readable(unread: re.Match[str]) -> str | None:
    """Rewrites `a>=b` so that the engine looks up both variables."""
    opposite = {"<=": ">", ">=": "<", "!=": "=="}.get(unread["mark"])
    if opposite is not None:
        return f"!({unread['left']}{opposite}{unread['name']})"
    return f"{unread['left']}=={unread['name']}" if unread["mark"] == "===" else None


def meant_number(value: str) -> str | None:
    """Returns the number in a text with a unit, in milliseconds if it is a time."""
    match = _NUMBER.fullmatch(value)
    if match is None:
        return None
    return f"{float(match['number']) * 1000:g}" if match["unit"] in ("s", "S", "秒") else match["number"]


def _check_assignment(line: Line, content: str) -> Findings:
    if (step := _STEP.fullmatch(content)) is not None:
        name, mark = step["name"], step["mark"]
        yield line.at(content, "WG129", f"{name}={name}{mark[0]}1", mark=mark)
    elif (match := _ASSIGNMENT.fullmatch(content)) is not None:
        name, mark, value = match["name"], match["mark"], match["value"]
        if mark != "==":
            value = f"{name}{mark[0]}{f'({value})' if _OPERATOR.search(value) else value}"
        yield line.at(content, "WG129", f"{name}={value}", mark=mark)
    elif "=" not in content:
        if "＝" in content:
            yield line.at(content, "WG130", content.replace("＝", "=", 1), mark="＝")
        else:
            yield line.at(content, "WG114")
    elif "{" in content:
        return  # only known at run time, or data
    elif (second := _SECOND_EQUALS.search(value := content.partition("=")[2])) is not None:
        yield line.at(value, "WG129", mark=second.group())
    elif (call := _CALL.fullmatch(value)) is not None and call["name"] != _FUNCTION:
        yield line.at(call["name"], "WG314", _FUNCTION, is_safe=False, value=call["name"], near=_FUNCTION)
    elif _OPERATOR.search(value):
        if (name := unread_name(value)) is not None:
            yield line.at(value, "WG135", name=name)
        elif (fault := fault_in(value, is_condition=False)) is not None:
            yield from _fault(line, value, fault)
        elif (unread := unread_in_value(value)) is not None:
            yield line.at(value, "WG136", name=unread["name"], mark=unread["mark"])
    elif (comparison := _COMPARISON.fullmatch(value)) is not None:
        yield line.at(value, "WG129", mark=comparison["mark"])


# What follows a full-width colon must be a target; otherwise the colon may be part of the text.
_WIDE_TARGET = re.compile(r"：(?=\s*+(?:[A-Za-z0-9_./-]+|[^：]+\.txt)\s*$)")


def check_options(line: Line) -> Findings:
    if line.sentence.command != "choose" or ":" not in line.statement:
        return
    content = line.content
    if "｜" in content and all(re.search("[:：]", option) for option in content.split("｜")):
        yield line.at(content, "WG128", content.replace("｜", "|"))
        return
    options = [option for option in BAR.split(content) if option.strip()]
    if not options or not all(option.strip() for option in BAR.split(content)[1:]):  # the first line of several
        yield line.whole("WG138")
    findings = [finding for option in options for finding in _check_option(line, option)]
    if _is_cut(line):  # the last option's target is after the cut
        findings = [finding for finding in findings if finding.code != "WG310"]
    without_target = [finding for finding in findings if finding.code == "WG310"]
    # If no option has a target, that is probably intended, so it is reported once.
    reported = without_target[:1] if len(without_target) == len(options) else without_target
    yield from (finding for finding in findings if finding.code != "WG310" or finding in reported)


def is_lost_option(command: Command, piece: str) -> bool:
    """Returns whether this argument is really the rest of an option's text: `choose:A - B:target`."""
    return command.content is Content.CHOICE and (":" in piece or "|" in piece)


def _is_cut(line: Line) -> bool:
    return any(is_lost_option(line.command, piece) for piece in line.statement.split(SEPARATOR)[1:])


# `a>1->`, `(a>1->`, `（a>1）->`, or a comparison in brackets and another arrow than `->`.
_COMPARED = r"(?=[^)）\]】]*\w\s*(?:[<>]=?|!?=+)\s*[\w'\"])"
_UNREAD_CONDITION = re.compile(
    rf"\s*(?P<head>[^-]*+(?:-(?!>)[^-]*+)*+->|[(（\[【]{_COMPARED}[^)）\]】]*+[)）\]】](?:-|=>|→|>)?)"
)
_NARROW_BRACKETS = str.maketrans("（）【】", "()[]")


def _with_brackets(head: str) -> str | None:
    """Writes a condition as the engine reads it; None if the result can't be read, either."""
    bare = head.translate(_NARROW_BRACKETS).strip().removesuffix("->").rstrip("-=→>").strip()
    opening = bare[:1] if bare[:1] in ("(", "[") else "("
    closing = ")" if opening == "(" else "]"
    inner = bare.removeprefix(opening).removesuffix(closing)
    return f"{opening}{inner}{closing}->" if inner and fault_in(inner, is_condition=True) is None else None


def _check_option(line: Line, option: str) -> Findings:
    text, target = read_option(option)
    if (unread := _UNREAD_CONDITION.match(text)) is not None and CONDITIONS.match(text) is None:
        yield line.at(
            unread["head"].strip(), "WG137", _with_brackets(unread["head"]), is_safe=False, value=unread["head"]
        )
    elif not (target and text.rpartition("->")[2].strip()):
        yield from [line.at(option.strip(), "WG138")] if target else ()
    for condition in conditions_of(text):
        yield from check_condition(line, condition)
    if len(fields := COLON.split(option)) > 2 and re.fullmatch(r"\s*https?", target):
        yield line.at(option, "WG112", text=":".join(fields[:2]))
    elif not target.strip():
        if (wide := _WIDE_TARGET.search(option)) is not None:
            start = line.text.find(option) + wide.start()
            yield line.between(start, start + 1, "WG112", ":", text=option.strip())
        else:
            yield line.at(option.strip(), "WG310", text=option.strip())
    elif target != target.lstrip():  # blanks after it are removed
        start = line.text.find(option) + len(text) + 1
        yield line.between(start, start + len(target), "WG208", target.strip(), name=target)
