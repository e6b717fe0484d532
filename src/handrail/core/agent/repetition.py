"""A model that goes round in circles: the same call with the same outcome, again and again."""

from collections import Counter
from collections.abc import Sequence

from handrail.contract.errors import Unsupported
from handrail.contract.model import Replied, Returned, Said, Turn


class InCircles(Unsupported):
    """Only a person's words lead out of it."""

    def __init__(self) -> None:
        super().__init__("The model goes round in circles.", hint="Say how it should go on.")


WARNED_AFTER = 3
STOPPED_AFTER = 6


def repetitions(turns: Sequence[Turn]) -> int:
    """How often the last outcome was had before by the very same call, since the person last spoke."""
    outcomes: Counter[tuple[str, str, str]] = Counter()
    asked: dict[str, tuple[str, str]] = {}
    last: tuple[str, str, str] | None = None
    for turn in turns:
        if isinstance(turn, Replied):
            asked |= {use.execution_id: (use.name, use.arguments) for use in turn.uses}
        elif isinstance(turn, Returned) and turn.execution_id in asked:
            last = (*asked[turn.execution_id], turn.text)
            outcomes[last] += 1
        elif isinstance(turn, Said):
            outcomes.clear()
            last = None
    return outcomes[last] if last is not None else 0
