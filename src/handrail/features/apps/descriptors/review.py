"""Everything that a vendor should know about a descriptor before others meet it. For `handrail apps check`."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from handrail.features.apps.calls.checks import Checks
from handrail.features.apps.calls.conditions import BrokenDescriptor
from handrail.features.apps.descriptors.descriptor import MAX_BYTES, problems_of, read
from handrail.features.apps.model import App, Problem
from handrail.features.apps.sign_in.strangers import strangers
from handrail.kernel import strict_json
from handrail.ports.errors import InvalidParams


@dataclass(frozen=True)
class Review:
    """`app` is None where a problem hides it from agents; `advice` hides nothing."""

    app: App | None
    problems: list[Problem] = field(default_factory=list)
    advice: list[Problem] = field(default_factory=list)


def review(text: bytes, source: str, *, folder: str | None = None) -> Review:
    """`folder` is the name of the one below `~/.aai` that the descriptor lies in, if it does."""
    app, problems, advice = None, list[Problem](), list[Problem]()
    try:
        app = read(text, source)
    except BrokenDescriptor as broken:
        problems += problems_of(broken)
    try:
        for problem, is_slip in strangers(strict_json.decode(text, max_bytes=MAX_BYTES), source):
            (problems if is_slip else advice).append(problem)
    except InvalidParams:
        pass  # the reader has said so
    if app is not None:
        if folder is not None and folder != app.id:
            problems.append(Problem(source, "app.id", f"is {app.id!r}, but its folder is {folder!r}: both must agree"))
        problems += _wrong_examples(app)
        advice += _mute_parameters(app)
    return Review(app, problems, advice)


def _wrong_examples(app: App) -> Iterator[Problem]:
    checks = Checks()
    for number, tool in enumerate(app.tools):
        for place, example in enumerate(tool.examples):
            try:
                checks.check_params(app, tool, example.params)
            except InvalidParams as wrong:
                for fault in wrong.details["fieldErrors"]:
                    name = f".{fault['field']}" if fault["field"] else ""
                    yield Problem(app.source, f"tools[{number}].examples[{place}].params{name}", fault["message"])


def _mute_parameters(app: App) -> Iterator[Problem]:
    for number, tool in enumerate(app.tools):
        known = tool.parameters.get("properties")
        for name, schema in known.items() if isinstance(known, dict) else ():
            if isinstance(schema, dict) and not schema.get("description"):
                where = f"tools[{number}].parameters.properties.{name}"
                yield Problem(app.source, where, "has no description: agents guess what it means")
