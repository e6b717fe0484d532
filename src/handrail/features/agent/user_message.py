"""Whose words a run hears: a person's, or those of a program that holds the token and speaks for itself alone."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from handrail.kernel.call import Caller
from handrail.ports.agent import Choice, Run, Voice
from handrail.ports.browser import Message
from handrail.ports.errors import Declined
from handrail.ports.model import Said

_HINT = "Do it in the console (`handrail open`)."


@dataclass(frozen=True, slots=True)
class UserMessage:
    """`message` is how the task remembers them; `heard` hears that it does. `admit`: words that begin nothing, too."""

    said: Said
    message: Message
    voice: Voice
    heard: Callable[[], Awaitable[None]]
    admit: Callable[[], Awaitable[None]]


def caller(voice: Voice, model: str) -> Caller:
    """Who calls the tools. What a person allows the one, for good or for a task, is not said of the other's name."""
    return (
        Caller("agent", model, "handrail") if voice == "person" else Caller("agent", f"a program's {model}", "program")
    )


def check_may_speak(known: Run, words: UserMessage, choice: Choice) -> None:
    """A program neither speaks where a person does, nor chooses what the person pays for. Declined."""
    if words.voice == "person":
        return
    if known.voice == "person":
        raise _declined("Speaking in a person's task", known.task_id)
    if choice != Choice(mode=choice.mode):
        raise _declined("Choosing a task's model and limits", known.task_id)


def check_may_answer(words: UserMessage) -> None:
    if words.voice != "person":
        raise _declined("Answering the agent's questions", words.said.id)


def _declined(what: str, about: str) -> Declined:
    return Declined(
        f"{what} is the person's own business and can't be done with the token.", hint=_HINT, reason="person", id=about
    )
