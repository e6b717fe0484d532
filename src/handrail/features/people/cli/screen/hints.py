"""Which keys the last line tells of, given what is on the screen and where the cursor is."""

from handrail.features.people.cli.screen.key_line import Key
from handrail.features.people.cli.screen.page import PromptPage
from handrail.features.people.cli.screen.texts import Texts


def typing_keys(page: PromptPage | None, texts: Texts, *, is_in_remark: bool) -> list[Key]:
    """In a field letters are text, so only other keys do something."""
    names = texts.keys
    if page is None:
        return []
    if is_in_remark:
        return [("Enter", names["deny" if page.is_denying else "back"]), ("Esc", names["back"])]
    return [("Ctrl S", names["send"]), ("Tab", names["field"]), ("Esc", names["back"])]


def keys_for(page: PromptPage | None, texts: Texts, *, is_in_list: bool, is_history: bool) -> list[Key]:
    """The ones that matter most first: the last ones go where there is no room."""
    names = texts.keys
    side = ("a", names["waiting" if is_history else "answered"])
    if page is None:
        return [side]
    if page.row.is_settled:
        return [("Enter", names["next"]), side]
    back = [] if is_in_list else [("Esc", names["back"])]
    no = [("n", names["deny" if page.form.has_remark else "cancel"])] if page.row.can_cancel else []
    if page.row.kind == "file_change_confirm":
        scopes = [("t", names["task"]), ("r", names["rule"])] if page.row.is_approval else []
        if page.row.is_about_app:
            scopes = [("r", names["tool"]), ("R", names["app"]), ("t", names["task"])]
        yes = ("y", names["allow" if page.row.is_approval else "yes"])
        return [yes, *no, *scopes, *back, ("Space", names["scroll"]), side]
    if is_in_list and page.row.kind != "result":
        return [("Enter", names["open"]), *no, side]
    return [*back, *((key, names[name]) for key, name in page.form.keys), *no, side]
