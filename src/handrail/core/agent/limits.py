"""How far a run goes before a person is asked: replies to one message, and what a task may cost."""

from dataclasses import dataclass

from handrail.contract.agent import Limit, Run
from handrail.contract.errors import Unsupported


class LimitReached(Unsupported):
    """`limit` names which; raised, the run goes on from where it was."""

    def __init__(self, message: str, limit: Limit, most: float) -> None:
        super().__init__(f"{message} Raise this limit and resume.", limit=limit, most=most)
        self.limit = limit


@dataclass(frozen=True, slots=True)
class Limits:
    """`steps`: replies of the model to one message of a person's. `cost`: US dollars a task may cost; 0 is no limit."""

    steps: int = 100
    cost: float = 0.0

    def of(self, run: Run) -> "Limits":
        """A task's own count before those of the settings."""
        steps = self.steps if run.most_steps is None else run.most_steps
        return Limits(steps, self.cost if run.most_cost is None else run.most_cost)

    def check(self, run: Run) -> None:
        """Before the model is asked. LimitReached."""
        most = self.of(run)
        if run.steps >= most.steps:
            told = f"The model has taken {run.steps} steps, and may take {most.steps} for one message."
            raise LimitReached(told, "mostSteps", most.steps)
        spent = run.usage.cost or 0
        if most.cost and spent >= most.cost:
            told = f"This task has cost {spent:.2f} US dollars, and may cost {most.cost:.2f}."
            raise LimitReached(told, "mostCost", most.cost)
