"""What every run of a server works with."""

from collections.abc import Callable
from dataclasses import dataclass

from handrail.contract.agent import Run, RunStore
from handrail.contract.errors import Unsupported
from handrail.contract.prompts import PromptQueue
from handrail.core.agent.audience import Audience
from handrail.core.agent.fate import Records
from handrail.core.agent.hands import Hands
from handrail.core.agent.thinking import Thinking
from handrail.core.registry import Registry


@dataclass(frozen=True, slots=True)
class Limits:
    """`steps`: replies of the model to one message of a person's. `cost`: US dollars a task may cost; 0 is no limit."""

    steps: int = 100
    cost: float = 0.0

    def check_cost(self, run: Run) -> None:
        if self.cost and (run.usage.cost or 0) >= self.cost:
            raise Unsupported(
                f"This task has cost {run.usage.cost:.2f} US dollars, and may cost {self.cost:.2f}.",
                hint="Raise the setting agent_most_cost, or begin a new task.",
            )

    def out_of_steps(self) -> Unsupported:
        return Unsupported(f"The model took {self.steps} steps without an end.", hint="Say how it should go on.")


@dataclass(frozen=True, slots=True)
class Equipment:
    store: RunStore
    audience: Audience
    hands: Hands
    records: Records
    thinking: Thinking
    queue: PromptQueue
    registry: Registry
    project: str
    max_auto_fix: Callable[[], int]
    limits: Limits = Limits()
