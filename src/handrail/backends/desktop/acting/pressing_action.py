"""Which of an element's own actions is the press that a click means. Pure."""

from collections.abc import Sequence

from handrail.contract.desktop import Element

_PRESSES = ("click", "press", "clicked", "push", "toggle", "check", "uncheck", "jump", "dodefault", "invoke", "select")
_STRONGER = ("activate", "open", "clickancestor")
"""In a field this is the Enter key, in a row a double click; elsewhere a press."""
_WEAK = ("expandorcontract", "expand", "collapse", "showmenu", "switch")
_FIELDS = frozenset({"AXTextField", "AXTextArea", "AXSecureTextField", "AXDateField"})
_ROWS = frozenset({"AXRow", "AXCell"})


def pressing_action(element: Element, names: Sequence[str]) -> int | None:
    """The index, or None where none of them is a press."""
    plain = [name.lower().replace(" ", "").replace("_", "").replace("-", "") for name in names]
    is_field = element.role in _FIELDS or "editable" in element.states
    if is_field or element.role in _ROWS:
        wanted: Sequence[str] = _PRESSES[:4] if is_field else _PRESSES
    else:
        wanted = (*_PRESSES, *_STRONGER, *_WEAK)
    return next((plain.index(name) for name in wanted if name in plain), None)
