"""The options of a choice."""

import re

from handrail.core.webgal.options import BAR, COLON, CONDITIONS, read_option
from handrail.core.webgal.rules.contents import judge
from handrail.core.webgal.rules.line import Findings, Line

# After a full-width colon what can only be a target; anything else may be text.
_WIDE_TARGET = re.compile(r"：(?=\s*+(?:[A-Za-z0-9_./-]+|[^：]+\.txt)\s*$)")


def check(line: Line) -> Findings:
    if line.sentence.command != "choose" or ":" not in line.statement:
        return
    written = line.content
    if "｜" in written and all(re.search("[:：]", option) for option in written.split("｜")):
        yield line.at(written, "WG128", written.replace("｜", "|"))
        return
    options = [option for option in BAR.split(written) if option.strip()]
    found = [finding for option in options for finding in _option(line, option)]
    aimless = [finding for finding in found if finding.code == "WG310"]
    # Where no option leads anywhere, that is most likely meant so: it is told once.
    told = aimless[:1] if len(aimless) == len(options) else aimless
    yield from (finding for finding in found if finding.code != "WG310" or finding in told)


def conditions_of(text: str) -> list[str]:
    """The conditions before an option's text."""
    found = CONDITIONS.match(text)
    return [condition for condition in found.groups() if condition] if found else []


def _option(line: Line, option: str) -> Findings:
    text, target = read_option(option)
    for condition in conditions_of(text):
        yield from judge(line, condition)
    if len(fields := COLON.split(option)) > 2 and re.fullmatch(r"\s*https?", target):
        yield line.at(option, "WG112", text=":".join(fields[:2]))
    elif not target.strip():
        if (wide := _WIDE_TARGET.search(option)) is not None:
            start = line.text.find(option) + wide.start()
            yield line.between(start, start + 1, "WG112", ":", text=option.strip())
        else:
            yield line.at(option.strip(), "WG310", text=option.strip())
    elif target != target.lstrip():  # blanks behind it are taken away
        start = line.text.find(option) + len(text) + 1
        yield line.between(start, start + len(target), "WG208", target.strip(), name=target)
