"""Modal windows as the host lists them."""

from collections.abc import Iterator

from msgspec import UNSET, UnsetType

from handrail.features.desktop.results import Executed, Ref, Said
from handrail.features.desktop.wording import ref_line
from handrail.kernel.quoting import quoted


class Modal(Said, frozen=True, kw_only=True):
    title: str
    app: str
    pid: int | UnsetType = UNSET
    is_front: bool = False
    buttons: list[Ref]


class Modals(Executed, frozen=True, kw_only=True):
    modals: list[Modal]
    count: int


def modal_line(modal: Modal) -> Iterator[str]:
    yield f"window {quoted(modal.title)} of {quoted(modal.app)}"
    yield from (f"  {ref_line(button)}" for button in modal.buttons)
