"""What is said to the agent, by a person or by a program that holds the token and speaks for itself alone."""

from dataclasses import dataclass

from handrail.kernel.call import Caller
from handrail.ports.agent import Choice, Run, Voice
from handrail.ports.errors import Declined
from handrail.ports.model import Said

_HINT = "Do it in the console (`handrail open`)."


@dataclass(frozen=True, slots=True)
class UserMessage:
    said: Said
    voice: Voice
    choice: Choice
    trace_id: str | None = None

    def check_may_speak(self, run: Run) -> None:
        """A program neither speaks where a person does, nor chooses what the person pays for. Declined."""
        if self.voice == "person":
            return
        if run.voice == "person":
            raise _declined("Speaking in a person's task", run.task_id)
        if self.choice != Choice(mode=self.choice.mode):
            raise _declined("Choosing a task's model and limits", run.task_id)

    def check_may_answer(self) -> None:
        if self.voice != "person":
            raise _declined("Answering the agent's questions", self.said.id)


def caller(voice: Voice, model: str) -> Caller:
    """Who calls the tools. What a person allows the one, for good or for a task, is not said of the other's name."""
    return (
        Caller("agent", model, "handrail") if voice == "person" else Caller("agent", f"a program's {model}", "program")
    )


def _declined(what: str, about: str) -> Declined:
    return Declined(
        f"{what} is the person's own business and can't be done with the token.", hint=_HINT, reason="person", id=about
    )
