"""What scrolls, and says how much of it is below."""

from textual.containers import VerticalScroll
from textual.message import Message


class Scroller(VerticalScroll):
    class Moved(Message):
        """More or less is out of sight than before."""

    def __init__(self) -> None:
        super().__init__(can_focus=False)

    @property
    def lines_below(self) -> int:
        return max(round(self.max_scroll_y - self.scroll_y), 0)

    def on_mount(self) -> None:
        for name in ("scroll_y", "virtual_size"):
            self.watch(self, name, self._tell, init=False)

    def on_resize(self) -> None:
        self._tell()

    def _tell(self) -> None:
        """After the layout: before it, sizes are old and new ones mixed."""
        self.call_after_refresh(self.post_message, self.Moved())
