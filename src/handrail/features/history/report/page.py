"""Renders the report's page piece by piece. Its only script is ours: nothing an agent or a program wrote can run."""

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from handrail.features.history.outcome import CHANGES, DENIALS, NO_REPLY
from handrail.features.history.report.parts import TEXTS, as_markdown, both, file_html
from handrail.features.history.story import CallContent, Message, Step, Story
from handrail.kernel.visible import visible
from handrail.ports.browser import LATEST_MS

MARK = '<meta name="generator" content="handrail report">'
"""Identifies a file as one of our reports."""
_FACTS = ("target", "effect", "caller", "decision", "undoes")
_MESSAGE_ARGUMENTS = ("question", "result")
"""Arguments that are text for the person."""
_SHORT = 2_000
_STATUSES = ("done", "failed", "denied", "unanswered", "unknown", "interrupted")
_RULES = escape(json.dumps({"stopped": sorted(DENIALS), "unheard": sorted(NO_REPLY), "changes": sorted(CHANGES)}))
_SCRIPT_TEXTS = ("verified", "wrong", "lacking", "unable", *_STATUSES)


def page(story: Story, made: datetime) -> Iterator[str]:
    style, script = _read_asset("tokens.css") + _read_asset("page.css"), _read_asset("page.js")
    policy = f"default-src 'none'; img-src data:; style-src '{_csp_hash(style)}'; script-src '{_csp_hash(script)}'"
    title = _escaped(story.title or story.task or story.project)
    yield (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{MARK}\n'
        f"<title>{title} · handrail</title>\n"
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{style}</style>\n</head>\n<body>\n'
    )
    yield from _head(story, title, made)
    entries = sorted([*map(_dated_step, story.steps), *map(_dated_message, story.messages)], key=lambda entry: entry[0])
    yield '<div class="film">\n<nav aria-label="handrail"><ol>\n'
    for number, (at, entry) in enumerate(entries, 1):
        yield _entry(number, at, entry)
    yield "</ol></nav>\n<main>\n"
    for number, (at, entry) in enumerate(entries, 1):
        yield from _step(number, at, entry) if isinstance(entry, Step) else _message(number, at, entry)
    yield f"</main>\n</div>\n<script>{script}</script>\n</body>\n</html>\n"


def _head(story: Story, title: str, made: datetime) -> Iterator[str]:
    damage = story.damage
    chain = f"{story.chain:,} {both('chain')}" if damage is None else f"{both('damage')}: {_escaped(damage)}"
    facts = [
        (both("task"), f"<code>{_escaped(story.task)}</code>" if story.task else both("every_task")),
        (both("project"), f"<code>{_escaped(story.project)}</code>"),
        (both("made"), _time(made.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"))),
    ]
    yield f"<header>\n<h1>{title}</h1>\n{_list(facts)}\n"
    yield f'<p class="{"chain" if story.damage is None else "chain wrong"}">{chain}</p>\n'
    texts = " ".join(f'data-{key}="{escape("|".join(TEXTS[key]))}"' for key in _SCRIPT_TEXTS)
    yield f'<p id="proof" role="status" {texts} data-rules="{_RULES}">{both("checking")}</p>\n'
    if story.messages:
        yield f"<p><small>{both('words')}</small></p>\n"
    yield (
        '</header>\n<p class="reel">'
        f'<button id="previous">◀ {both("previous")}</button> <button id="play">{both("play")}</button> '
        f'<button id="next">{both("next")} ▶</button> <output id="place"></output> '
        f'<button id="all" aria-pressed="false">{both("all")}</button> '
        '<button id="language">中文 / English</button></p>\n'
    )


def _dated_step(step: Step) -> tuple[str, Step | Message]:
    return step.started, step


def _dated_message(message: Message) -> tuple[str, Step | Message]:
    at = datetime.fromtimestamp(min(message.timestamp, LATEST_MS) / 1000, UTC).isoformat(timespec="milliseconds")
    return at.replace("+00:00", "Z"), message


def _entry(number: int, at: str, entry: Step | Message) -> str:
    if isinstance(entry, Step):
        name, status = _escaped(str(entry.record.get("tool"))), f"{_status(entry)} "
        more = _escaped(str(entry.record.get("target") or ""))
    else:
        name, status, more = both(f"said_{entry.role}"), "", _escaped(entry.content[:80])
    kind = "step" if isinstance(entry, Step) else "said"
    time = f'<time datetime="{escape(at)}">{escape(at[11:19])}</time>'
    return f'<li><a class="{kind}" href="#step-{number}"><b>{name}</b>{time}<small>{status}{more}</small></a></li>\n'


def _step(number: int, at: str, step: Step) -> Iterator[str]:
    record = step.record
    yield f'<article id="step-{number}" class="{step.status}" tabindex="-1">\n'
    yield f"<h2>{number}. {_member('tool', record.get('tool'))} {_status(step)}</h2>\n"
    facts = [(both(name), _member(name, record[name])) for name in _FACTS if name in record]
    facts += list(_more_facts(record))
    yield f"<p>{_time(at)}</p>\n{_list(facts)}\n"
    for file in sorted(step.files, key=lambda file: (file.name.endswith(".json"), file.name)):
        yield file_html(file) + "\n"
    if step.content is not None and not step.files:
        yield from _call_content(step.content)
    lines = "".join(f'<pre class="record">\n{escape(_line(line), quote=False)}</pre>' for line in step.lines)
    yield f"<details><summary>{both('record')} · {_escaped(step.execution_id)}</summary>{lines}</details>\n</article>\n"


def _call_content(content: CallContent) -> Iterator[str]:
    """For a call without evidence, because it only read something or asked."""
    try:
        arguments = json.loads(content.arguments or "{}")
    except ValueError:
        arguments = None
    for name in _MESSAGE_ARGUMENTS:
        if isinstance(arguments, dict) and isinstance(text := arguments.pop(name, None), str):
            yield f'<div class="word">{as_markdown(text)}</div>\n'
    if arguments:
        yield _details("given", json.dumps(arguments, ensure_ascii=False, indent=1))
    elif arguments is None:
        yield _details("given", content.arguments)
    if content.result:
        yield _details("heard", content.result)


def _details(name: str, text: str) -> str:
    is_open = " open" if len(text) <= _SHORT else ""
    return f"<details{is_open}><summary>{both(name)}</summary><pre>\n{_escaped(text)}</pre></details>\n"


def _more_facts(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    match record.get("answer"):
        case {"status": status, "by": by}:
            yield both("answer"), f"{_member('answer.status', status)} {both('by')} {_member('answer.by', by)}"
    match record.get("reached"):
        case {**places}:
            lines = "\n".join(f"{place}: {place_state}" for place, place_state in places.items())
            yield both("reached"), f'<div class="lines">{_member("reached", lines)}</div>'
    match record.get("error"):
        case {**error}:
            yield both("error"), ": ".join(_member(f"error.{name}", part) for name, part in error.items())
    if isinstance(took := record.get("durationMs"), int | float):
        yield both("took"), f"{_member('durationMs', f'{took:.15g}')} ms"


def _message(number: int, at: str, message: Message) -> Iterator[str]:
    author = both(f"said_{message.role}")
    yield f'<article id="step-{number}" class="said" tabindex="-1">\n<h2>{number}. {author}</h2>\n'
    yield f'<p>{_time(at)}</p>\n<div class="word">{as_markdown(message.content)}</div>\n</article>\n'


def _status(step: Step) -> str:
    return f'<i class="{step.status}">{both(step.status)}</i>'


def _member(path: str, value: object) -> str:
    """A value from a record. The page's script compares it with the record itself."""
    return f'<span data-member="{escape(path)}">{_escaped(str(value))}</span>'


def _line(line: bytes) -> str:
    return line.decode(errors="replace").removesuffix("\n")


def _list(facts: list[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts) + "</dl>"


def _time(at: str) -> str:
    return f'<time datetime="{escape(at)}">{escape(at.replace("T", " ").removesuffix("Z"))} UTC</time>'


def _escaped(text: str) -> str:
    return escape(visible(text))


def _read_asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _csp_hash(content: str) -> str:
    return f"sha256-{base64.b64encode(sha256(content.encode()).digest()).decode()}"
