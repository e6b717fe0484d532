"""The whole page, piece by piece. Nothing that an agent or a program wrote can act in it: one script may, ours."""

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from handrail.features.history.outcome import CHANGES, STOPPED, UNHEARD
from handrail.features.history.report.parts import TEXTS, as_markdown, both, shown_file
from handrail.features.history.story import Exchange, Step, Story, Word
from handrail.kernel.visible import visible
from handrail.ports.browser import LATEST_MS

MARK = '<meta name="generator" content="handrail report">'
"""By which a page of ours is known."""
_FACTS = ("target", "effect", "caller", "decision", "undoes")
_SPOKEN = ("question", "result")
"""Members of a call that are words for the person."""
_SHORT = 2_000
_STATUSES = ("done", "failed", "denied", "unanswered", "unknown", "interrupted")
_RULES = escape(json.dumps({"stopped": sorted(STOPPED), "unheard": sorted(UNHEARD), "changes": sorted(CHANGES)}))
_SAID_BY_SCRIPT = ("verified", "wrong", "lacking", "unable", *_STATUSES)


def page(story: Story, made: datetime) -> Iterator[str]:
    style, script = _own("tokens.css") + _own("page.css"), _own("page.js")
    policy = f"default-src 'none'; img-src data:; style-src '{_pinned(style)}'; script-src '{_pinned(script)}'"
    title = _shown(story.title or story.task or story.project)
    yield (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{MARK}\n'
        f"<title>{title} · handrail</title>\n"
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{style}</style>\n</head>\n<body>\n'
    )
    yield from _head(story, title, made)
    moments = sorted([*map(_of_step, story.steps), *map(_of_word, story.words)], key=lambda moment: moment[0])
    yield '<div class="film">\n<nav aria-label="handrail"><ol>\n'
    for number, (at, moment) in enumerate(moments, 1):
        yield _entry(number, at, moment)
    yield "</ol></nav>\n<main>\n"
    for number, (at, moment) in enumerate(moments, 1):
        yield from _step(number, at, moment) if isinstance(moment, Step) else _word(number, at, moment)
    yield f"</main>\n</div>\n<script>{script}</script>\n</body>\n</html>\n"


def _head(story: Story, title: str, made: datetime) -> Iterator[str]:
    chain = f"{story.chain:,} {both('chain')}" if story.damage is None else f"{both('damage')}: {_shown(story.damage)}"
    facts = [
        (both("task"), f"<code>{_shown(story.task)}</code>" if story.task else both("every_task")),
        (both("project"), f"<code>{_shown(story.project)}</code>"),
        (both("made"), _time(made.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"))),
    ]
    yield f"<header>\n<h1>{title}</h1>\n{_list(facts)}\n"
    yield f'<p class="{"chain" if story.damage is None else "chain wrong"}">{chain}</p>\n'
    texts = " ".join(f'data-{key}="{escape("|".join(TEXTS[key]))}"' for key in _SAID_BY_SCRIPT)
    yield f'<p id="proof" role="status" {texts} data-rules="{_RULES}">{both("checking")}</p>\n'
    if story.words:
        yield f"<p><small>{both('words')}</small></p>\n"
    yield (
        '</header>\n<p class="reel">'
        f'<button id="previous">◀ {both("previous")}</button> <button id="play">{both("play")}</button> '
        f'<button id="next">{both("next")} ▶</button> <output id="place"></output> '
        f'<button id="all" aria-pressed="false">{both("all")}</button> '
        '<button id="language">中文 / English</button></p>\n'
    )


def _of_step(step: Step) -> tuple[str, Step | Word]:
    return step.started, step


def _of_word(word: Word) -> tuple[str, Step | Word]:
    at = datetime.fromtimestamp(min(word.timestamp, LATEST_MS) / 1000, UTC).isoformat(timespec="milliseconds")
    return at.replace("+00:00", "Z"), word


def _entry(number: int, at: str, moment: Step | Word) -> str:
    if isinstance(moment, Step):
        name, status = _shown(str(moment.record.get("tool"))), f"{_status(moment)} "
        more = _shown(str(moment.record.get("target") or ""))
    else:
        name, status, more = both(f"said_{moment.role}"), "", _shown(moment.content[:80])
    kind = "step" if isinstance(moment, Step) else "said"
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
        yield shown_file(file) + "\n"
    if step.exchange is not None and not step.files:
        yield from _exchange(step.exchange)
    lines = "".join(f'<pre class="record">\n{escape(_line(line), quote=False)}</pre>' for line in step.lines)
    yield f"<details><summary>{both('record')} · {_shown(step.execution_id)}</summary>{lines}</details>\n</article>\n"


def _exchange(exchange: Exchange) -> Iterator[str]:
    """Of a call that left no evidence, because it only looked or asked."""
    try:
        given = json.loads(exchange.given or "{}")
    except ValueError:
        given = None
    for name in _SPOKEN:
        if isinstance(given, dict) and isinstance(said := given.pop(name, None), str):
            yield f'<div class="word">{as_markdown(said)}</div>\n'
    if given:
        yield _folded("given", json.dumps(given, ensure_ascii=False, indent=1))
    elif given is None:
        yield _folded("given", exchange.given)
    if exchange.told:
        yield _folded("heard", exchange.told)


def _folded(name: str, text: str) -> str:
    is_open = " open" if len(text) <= _SHORT else ""
    return f"<details{is_open}><summary>{both(name)}</summary><pre>\n{_shown(text)}</pre></details>\n"


def _more_facts(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    match record.get("answer"):
        case {"status": status, "by": by}:
            yield both("answer"), f"{_member('answer.status', status)} {both('by')} {_member('answer.by', by)}"
    match record.get("reached"):
        case {**places}:
            told = "\n".join(f"{place}: {said}" for place, said in places.items())
            yield both("reached"), f'<div class="lines">{_member("reached", told)}</div>'
    match record.get("error"):
        case {**error}:
            yield both("error"), ": ".join(_member(f"error.{name}", part) for name, part in error.items())
    if isinstance(took := record.get("durationMs"), int | float):
        yield both("took"), f"{_member('durationMs', f'{took:.15g}')} ms"


def _word(number: int, at: str, word: Word) -> Iterator[str]:
    yield f'<article id="step-{number}" class="said" tabindex="-1">\n<h2>{number}. {both(f"said_{word.role}")}</h2>\n'
    yield f'<p>{_time(at)}</p>\n<div class="word">{as_markdown(word.content)}</div>\n</article>\n'


def _status(step: Step) -> str:
    return f'<i class="{step.status}">{both(step.status)}</i>'


def _member(path: str, value: object) -> str:
    """What a record says: the page holds it against the record itself."""
    return f'<span data-member="{escape(path)}">{_shown(str(value))}</span>'


def _line(line: bytes) -> str:
    return line.decode(errors="replace").removesuffix("\n")


def _list(facts: list[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts) + "</dl>"


def _time(at: str) -> str:
    return f'<time datetime="{escape(at)}">{escape(at.replace("T", " ").removesuffix("Z"))} UTC</time>'


def _shown(text: str) -> str:
    return escape(visible(text))


def _own(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _pinned(content: str) -> str:
    return f"sha256-{base64.b64encode(sha256(content.encode()).digest()).decode()}"
