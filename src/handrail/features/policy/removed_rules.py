"""Rules that a person removed recently, kept so that they can be restored: `<stateDir>/removed-rules.json`."""

import time
from collections.abc import Callable
from contextlib import suppress

import msgspec

from handrail.features.policy.rule_list import Row, remove, row_of
from handrail.kernel.policy import rule_id
from handrail.ports.errors import NotFound
from handrail.ports.grants import TaskGrant
from handrail.ports.policy import Rule
from handrail.ports.state_writes import write_state
from handrail.ports.stores import Stores
from handrail.ports.waiting import run_in_thread

FILE = "removed-rules.json"
_RESTORE_SECONDS = 600.0
_LOCK_SECONDS = 10.0


class Removed(msgspec.Struct, frozen=True, omit_defaults=True):
    id: str
    at: float
    rule: Rule | None = None
    grant: TaskGrant | None = None

    @property
    def row(self) -> Row:
        one = self.rule or self.grant
        assert one is not None
        return row_of(one)

    @property
    def is_loosening(self) -> bool:
        return self.rule is None or self.rule.decision.lower() == "allow"


_DECODER = msgspec.json.Decoder(list[Removed])


class RemovedRules:
    """`clock` returns seconds since 1970."""

    def __init__(self, stores: Stores, clock: Callable[[], float] = time.time) -> None:
        self._stores = stores
        self._path = stores.path / FILE
        self._clock = clock

    async def remove(self, id: str) -> Row:
        rules = [Removed(id, self._clock(), rule=each) for each in await run_in_thread(self._stores.rules)]
        grants = [Removed(id, self._clock(), grant=each) for each in await self._stores.grants.all()]
        matches = [each for each in rules if each.rule is not None and rule_id(each.rule) == id]
        matches += [each for each in grants if each.grant is not None and each.grant.id == id]
        row = await remove(self._stores, id)
        await run_in_thread(lambda: self._change(lambda entries: [*entries, *matches[:1]]))
        return row

    async def find(self, id: str) -> Removed:
        """NotFound if it wasn't removed within the last minutes."""
        entries = await run_in_thread(self._recent)
        for each in reversed(entries):
            if each.id == id:
                return each
        raise NotFound(
            f"The rule {id} can't be restored any more.", hint="Allow it again the next time you are asked.", id=id
        )

    async def restore(self, removed: Removed) -> Row:
        await run_in_thread(lambda: self._change(lambda entries: [each for each in entries if each.id != removed.id]))
        if removed.grant is not None:
            task_grant = removed.grant
            return row_of(await self._stores.grants.add(task_grant.grant, caller=task_grant.caller, by=task_grant.by))
        assert removed.rule is not None
        await self._stores.allow("restored after it was removed", removed.rule)
        return removed.row

    def _change(self, change: Callable[[list[Removed]], list[Removed]]) -> None:
        with self._stores.lock(FILE, _LOCK_SECONDS):
            write_state(self._path, msgspec.json.encode(change(self._recent())))

    def _recent(self) -> list[Removed]:
        entries: list[Removed] = []
        with suppress(FileNotFoundError, msgspec.DecodeError):
            entries = _DECODER.decode(self._path.read_bytes())
        return [each for each in entries if 0 <= self._clock() - each.at < _RESTORE_SECONDS]
