"""Settings of the agent."""

import msgspec

_FEWEST_TOKENS = 2_000


class AgentSettings(msgspec.Struct, frozen=True):
    model: str = ""
    model_base_url: str = ""
    model_context_tokens: int = 100_000
    agent_most_steps: int = 100
    agent_most_cost: float = 5.0

    def __post_init__(self) -> None:
        if self.model_context_tokens < _FEWEST_TOKENS:
            raise ValueError(f"`model_context_tokens` must be at least {_FEWEST_TOKENS}")
        if self.agent_most_steps < 1 or not self.agent_most_cost >= 0:
            raise ValueError("`agent_most_steps` must be at least 1, and `agent_most_cost` no less than 0")
