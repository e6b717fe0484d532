"""Modal windows as the host lists them."""

from collections.abc import Iterator

from msgspec import UNSET, UnsetType

from handrail.core.quoting import quoted
from handrail.surfaces.desktop.results import Executed, Ref, Said
from handrail.surfaces.desktop.wording import ref_line


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
