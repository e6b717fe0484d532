"""The last line of the screen, with the keys that work right now, and the page that explains all keys."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget

from handrail.features.people.cli.screen.change_form import ChangeForm
from handrail.features.people.cli.screen.lines import TextBlock, fact_lines, own_line
from handrail.features.people.cli.screen.page import PromptPage
from handrail.features.people.cli.screen.texts import Texts

Key = tuple[str, str]
_GAP = "  "


class KeyLine(Widget):
    """Shows as many keys as fit, and always those in `always`."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"keys--key", "keys--name"}
    DEFAULT_CSS = """
    KeyLine { height: 1; dock: bottom; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._keys: Sequence[Key] = ()
        self._always: Sequence[Key] = ()

    def show(self, keys: Sequence[Key], always: Sequence[Key]) -> None:
        self._keys, self._always = keys, always
        self.refresh()

    @property
    def shown(self) -> list[Key]:
        remaining = self.size.width - sum(_width(key) for key in self._always)
        fitting = []
        for key in self._keys:
            remaining -= _width(key)
            if remaining < 0:
                break
            fitting.append(key)
        return [*fitting, *self._always]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 1

    def render_line(self, y: int) -> Strip:
        key_style, name_style = (self.get_component_rich_style(f"keys--{part}") for part in ("key", "name"))
        segments = []
        for key, name in self.shown:
            segments += [Segment(f" {key} ", key_style), Segment(name + _GAP[1:], name_style)]
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)


class HelpScreen(ModalScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,q,enter", "app.pop_screen", show=False)]

    def __init__(self, texts: Texts) -> None:
        super().__init__()
        self._texts = texts

    def compose(self) -> ComposeResult:
        help_lines = fact_lines(self._texts.help, is_ours=True)
        with VerticalScroll():
            yield TextBlock([own_line(self._texts.help_title, "title"), own_line(""), *help_lines])


def _width(key: Key) -> int:
    return cell_len(key[0]) + cell_len(key[1]) + 3


def typing_keys(page: PromptPage | None, texts: Texts, *, is_in_remark: bool) -> list[Key]:
    """In a field, letters are text, so only other keys work."""
    names = texts.keys
    if page is None:
        return []
    if is_in_remark:
        return [("Enter", names["deny" if page.is_denying else "back"]), ("Esc", names["back"])]
    return [("Ctrl S", names["send"]), ("Tab", names["field"]), ("Esc", names["back"])]


def keys_for(page: PromptPage | None, texts: Texts, *, is_in_list: bool, is_history: bool) -> list[Key]:
    """The most important keys first; the last ones are dropped if there is no room."""
    names = texts.keys
    side = ("a", names["waiting" if is_history else "answered"])
    if page is None:
        return [side]
    if page.row.is_settled:
        return [("Enter", names["next"]), side]
    back = [] if is_in_list else [("Esc", names["back"])]
    no = [("n", names["deny" if page.form.has_remark else "cancel"])] if page.row.can_cancel else []
    if page.row.kind == "file_change_confirm":
        task = [("t", names["task"])] if page.row.offers("task") else []
        scopes = [*task, *([("r", names["rule"])] if page.row.offers("rule") else [])]
        if page.row.is_app_call:
            scopes = [("r", names["tool"]), ("R", names["app"]), *task]
        yes = ("y", names["allow" if page.row.is_approval else "yes"])
        first = [*no, yes] if page.row.is_unseen else [yes, *no]
        if page.row.has_parts:
            scopes += [("Enter", names["parts"])] if is_in_list else [("Space", names["pick"]), ("e", names["edit"])]
        scroll = [] if page.row.has_parts and not is_in_list else [("Space", names["scroll"])]
        password = [("s", names["password"])] if isinstance(page.form, ChangeForm) and page.form.has_password else []
        return [*first, *password, *scopes, *back, *scroll, side]
    if is_in_list and page.row.kind not in ("result", "unreadable"):
        return [("Enter", names["open"]), *no, side]
    return [*back, *((key, names[name]) for key, name in page.form.keys), *no, side]
