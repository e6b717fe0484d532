"""The compositor port for KWin: it reports windows and brings them to the front; everything else is refused."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager

from handrail.features.desktop.backends.compositor import Check, ClipboardOffer
from handrail.features.desktop.backends.kwin.windows import KWinWindows
from handrail.features.desktop.backends.wayland.session import Wayland
from handrail.features.desktop.desktop_port import Issue, KeyCombination, Rect
from handrail.ports.errors import Failure, PermissionMissing, Unsupported

INTERFACE = "org_kde_plasma_shell"
"""Offered by KWin, and by no compositor with wlroots' protocols."""
_NO_INPUT = (
    "handrail can't use pointer, keys or clipboard with KWin on Wayland: only the elements' own actions work, and "
    "windows can be listed and brought to the front."
)
_NO_PICTURES = "handrail can't take screenshots with KWin on Wayland."
_X11_SESSION = "Choose an X11 (Xorg) session when you sign in."


class _NoInput:
    """Refuses pointer, keys and clipboard."""

    async def perform(self, *_: object, **__: object) -> None:
        raise _no_input()

    async def wait_out_double_click(self, x: int, y: int) -> None:
        raise _no_input()

    async def send(self, combinations: Sequence[KeyCombination], *, before_each: Check, delay_ms: int = 0) -> None:
        raise _no_input()

    async def write(self, *_: object, **__: object) -> bool | None:
        raise _no_input()

    def lending(self, text: str, pasting_window: int) -> AbstractAsyncContextManager[ClipboardOffer]:
        raise _no_input()

    async def text(self) -> str | None:
        raise _no_input()

    async def put(self, text: str) -> None:
        raise _no_input()


class KWinCompositor:
    session = "wayland"
    can_act = False

    def __init__(self) -> None:
        self._wayland = Wayland()
        self.windows = KWinWindows()
        self.pointer = self.keyboard = self.clipboard = _NoInput()

    def area(self) -> Rect:
        return self._wayland.session().area()

    def monitors(self) -> Sequence[Rect]:
        return [output.area for output in self._wayland.session().outputs]

    def grab(self, area: Rect) -> bytearray:
        raise PermissionMissing(_NO_PICTURES, hint=_X11_SESSION)

    async def highlight(self, frame: Rect, duration_ms: int) -> None:
        raise Unsupported("handrail can't outline elements with KWin on Wayland.", hint=_X11_SESSION)

    def display_issues(self) -> list[Issue]:
        try:
            self.windows.all()
        except Failure as failure:
            message, fix = failure.message, failure.hint or ""
            return [Issue("screenRecording", message, fix), Issue("input", message, fix)]
        return []

    def input_issues(self) -> Iterator[Issue]:
        yield Issue("input", _NO_INPUT, _X11_SESSION)

    async def close(self) -> None:
        self._wayland.close()


def _no_input() -> PermissionMissing:
    return PermissionMissing(_NO_INPUT, hint=_X11_SESSION)
