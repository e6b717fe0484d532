"""Makes the prompt of an approval, which shows everything that will happen."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.kernel.approval import Question
from handrail.kernel.prompts.card import auto_run_writes, card_of
from handrail.kernel.target import ANY_PLACE
from handrail.kernel.visible import one_line, visible
from handrail.ports.prompts import ConsentSubject, FileChangePrompt

_NAMELESS = "The page's address is unknown, so no rule can match it. Your approval counts once."
_CHANGED = "It has changed since you allowed it, and nothing was done. What is different:"
_UNSEEN = "You can't see the target: "
_RULED = "A rule of the policy asks about this each time, whatever you always allow."


_LONGEST_ON_ONE_LINE = 80
_STALE = {
    "program": "You allowed this before, but the app's program has changed since.",
    "descriptor": "You allowed this before, but the app now describes it differently.",
}


def prompt_of(question: Question, bundle: str | None = None, project: str = "") -> FileChangePrompt:
    """A prompt that shows everything that will happen. `bundle` is the same in similar questions."""
    preview = question.preview
    lines = [f"{question.title} ({question.effect.value})", f"Asked by {one_line(question.call.caller)}"]
    later = auto_run_writes(question)
    lines += [
        f"{'This file' if path == preview.path else one_line(path)} runs code later: {why}." for path, why in later
    ]
    lines += [_NAMELESS] if preview.place == ANY_PLACE else []
    if preview.consent is not None:
        lines += [_RULED] if question.is_by_rule else []
        lines += [_STALE[question.stale]] if question.stale is not None else []
        for name, fact in preview.consent.facts:
            lines += _shown(name, fact)
    if preview.changed:
        lines += [_CHANGED, *(f"  │ {line}" for line in preview.changed)]
    lines += [_UNSEEN + preview.unseen] if preview.unseen is not None else []
    for name, fact in preview.facts:
        lines += _shown(name, fact)
    if preview.diff is None:
        for name, value in _parameters(question):
            lines += _shown(name, value)
    return FileChangePrompt(
        title=one_line(preview.summary),
        message=visible("\n".join(lines)),
        source=f"handrail/{question.call.tool}",
        path=UNSET if preview.path is None else one_line(preview.path),
        command=_visible(preview.command),
        cwd=UNSET if preview.cwd is None else one_line(preview.cwd),
        diff=_visible(preview.diff),
        images=tuple(question.images) or UNSET,
        scope=UNSET if preview.warrant is None else preview.warrant,
        consent=_subject(question),
        offers=tuple(question.offers) or UNSET,
        runs_later="; ".join(dict.fromkeys(why for _, why in later)) or UNSET,
        critical=question.is_critical or UNSET,
        unseen=_visible(preview.unseen),
        changed=tuple(visible(str(each)) for each in preview.changed) or UNSET,
        card=card_of(question, project, _parameters(question)),
        parts=tuple(preview.parts) or UNSET,
        masked=tuple(preview.masked) or UNSET,
        bundle=bundle or UNSET,
    )


def _parameters(question: Question) -> Iterator[tuple[str, Any]]:
    """The parameters to show. Those of apps and servers are listed one by one, so that they can't pass for our text."""
    for name, value in _given(question.params).items():
        if question.target.server is not None:
            yield f"arguments.{_quoted(name)}", _readable(value)
        elif question.preview.consent is not None and isinstance(value, dict) and value:
            yield from ((f"{name}.{_quoted(inner)}", part) for inner, part in value.items())
        else:
            yield name, value


def _readable(value: Any) -> Any:
    """Long nested values as indented JSON."""
    encoded = b"" if isinstance(value, str) else msgspec.json.encode(value)
    return msgspec.json.format(encoded, indent=2).decode() if len(encoded) > _LONGEST_ON_ONE_LINE else value


def _given(value: Any) -> Any:
    """Without parameters that were left out; a null in a free object stays."""
    if not isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    members = ((member, getattr(value, member.name)) for member in msgspec.structs.fields(value))
    return {member.encode_name: _given(part) for member, part in members if part not in (None, UNSET)}


def _quoted(name: str) -> str:
    """Quotes a name that the agent has chosen, so that it can't pass for something else."""
    return name if name.isidentifier() else msgspec.json.encode(name).decode()


def _subject(question: Question) -> Any:
    to = question.preview.consent
    return UNSET if to is None else ConsentSubject(app=to.app, app_name=visible(to.app_name), tool=to.tool)


def _visible(text: str | None) -> Any:
    return UNSET if text is None else visible(text)


def _shown(name: str, value: Any) -> list[str]:
    """Marks the lines of a value, so that they can't pass for our text."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    name = one_line(name)
    return [f"{name}: {text}"] if "\n" not in text else [f"{name}:", *(f"  │ {line}" for line in text.split("\n"))]
