"""What every run of a server works with."""

from collections.abc import Callable
from dataclasses import dataclass

from handrail.contract.agent import RunStore
from handrail.contract.prompts import PromptQueue
from handrail.core.agent.audience import Audience
from handrail.core.agent.fate import Records
from handrail.core.agent.hands import Hands
from handrail.core.agent.limits import Limits
from handrail.core.agent.offers import Offers
from handrail.core.agent.thinking import Thinking


@dataclass(frozen=True, slots=True)
class Equipment:
    store: RunStore
    audience: Audience
    hands: Hands
    records: Records
    thinking: Thinking
    queue: PromptQueue
    offers: Offers
    project: str
    max_auto_fix: Callable[[], int]
    limits: Limits
