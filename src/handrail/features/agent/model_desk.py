"""Which models there are and which one is used, as a person sees and changes it. No key comes back from here."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from handrail.ports.model import Model
from handrail.ports.secrets import Kept, Secret


class Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An object on the wire."""


class KnownModel(Wire, frozen=True, kw_only=True):
    name: str
    provider: str
    has_key: bool


class ModelOverview(Wire, frozen=True, kw_only=True):
    """`current` is empty where none is connected."""

    models: Sequence[KnownModel]
    current: str
    base_url: str = ""


class ModelDesk(Protocol):
    async def overview(self) -> ModelOverview: ...

    async def open(self, name: str) -> Model:
        """The one that is set where the name is empty. NoModel, WrongKey."""
        ...

    async def use(self, name: str, base_url: str | None) -> None:
        """From now on, for every task that has none of its own. InvalidParams."""
        ...

    async def keep_key(self, provider: str, key: Secret) -> Kept: ...

    async def forget_keys(self) -> int:
        """How many there were."""
        ...
