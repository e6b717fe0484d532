"""Which of an element's own actions is the press that a click means. Pure."""

from collections.abc import Sequence

from handrail.features.desktop.platform import Element

_PRESSES = ("click", "press", "clicked", "push")
_CHOICES = ("select", "jump", "dodefault", "invoke")
_SWITCHES = ("toggle", "check", "uncheck", "clickancestor", "activate", "open")
"""A row is toggled out of what is selected, and opened as by a double click; a field is left as by the Enter key."""
_WEAK = ("expandorcontract", "expand", "collapse", "showmenu", "switch")
_FIELDS = frozenset({"AXTextField", "AXTextArea", "AXSecureTextField", "AXDateField"})
_ROWS = frozenset({"AXRow", "AXCell"})


def pressing_action(element: Element, names: Sequence[str]) -> int | None:
    """The index, or None where none of them is a press."""
    plain = [name.lower().replace(" ", "").replace("_", "").replace("-", "") for name in names]
    wanted: tuple[str, ...] = (*_PRESSES, *_CHOICES, *_SWITCHES, *_WEAK)
    if element.role in _FIELDS or "editable" in element.states:
        wanted = _PRESSES
    elif element.role in _ROWS:
        wanted = (*_PRESSES, *_CHOICES)
    return next((plain.index(name) for name in wanted if name in plain), None)
