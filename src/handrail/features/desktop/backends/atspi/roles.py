"""The names of AT-SPI's roles and states, and the contract's AX names for the roles."""

from collections.abc import Mapping, Sequence, Set
from functools import lru_cache

_TABLE = """
AXUnknown: 0 invalid, 67 unknown, 70 extended, 86 redundant object
AXStaticText: 1 accelerator label, 29 label, 81 caption, 115 timer, 116 static
AXSheet: 2 alert
AXImage: 3 animation, 4 arrow, 13 desktop icon, 26 icon, 27 image, 80 chart, 100 image map
AXGroup: 5 calendar, 6 canvas, 17 directory pane, 18 drawing area, 20 filler, 21 focus traversable, 24 glass pane,
    30 layered pane, 36 option pane, 39 panel, 46 root pane, 54 status bar, 68 viewport, 71 header, 72 footer,
    73 paragraph, 78 embedded, 84 page, 85 section, 87 form, 93 document presentation, 97 comment, 99 grouping,
    101 notification, 102 info bar, 104 title bar, 105 block quote, 106 audio, 107 video, 108 definition, 109 article,
    110 landmark, 111 log, 112 marquee, 113 math, 117 math fraction, 118 math root, 119 subscript, 120 superscript,
    122 description term, 123 description value, 124 footnote, 125 content deletion, 126 content insertion, 127 mark,
    128 suggestion
AXCheckBox: 7 check box, 62 toggle button, 130 switch
AXMenuItem: 8 check menu item, 35 menu item, 45 radio menu item, 59 tearoff menu item
AXWindow: 9 color chooser, 14 desktop frame, 16 dialog, 19 file chooser, 22 font chooser, 23 frame, 28 internal frame,
    69 window, 89 input method window
AXCell: 10 column header, 47 row header, 56 table cell, 57 table column header, 58 table row header
AXComboBox: 11 combo box, 76 autocomplete
AXDateField: 12 date editor
AXSlider: 15 dial, 51 slider
AXWebArea: 25 html container, 82 document frame, 95 document web
AXList: 31 list, 98 list box, 121 description list
AXRow: 32 list item, 90 table row, 91 tree item
AXMenu: 33 menu, 41 popup menu
AXMenuBar: 34 menu bar
AXRadioButton: 37 page tab, 44 radio button
AXTabGroup: 38 page tab list
AXSecureTextField: 40 password text
AXProgressIndicator: 42 progress bar
AXButton: 43 push button
AXScrollBar: 48 scroll bar
AXScrollArea: 49 scroll pane
AXSplitter: 50 separator
AXIncrementor: 52 spin button
AXSplitGroup: 53 split pane
AXTable: 55 table, 92 document spreadsheet
AXTextArea: 60 terminal, 94 document text, 96 document email
AXTextField: 61 text, 77 editbar, 79 entry
AXToolbar: 63 tool bar
AXHelpTag: 64 tool tip
AXOutline: 65 tree, 66 tree table
AXRuler: 74 ruler
AXApplication: 75 application
AXHeading: 83 heading
AXLink: 88 link
AXLevelIndicator: 103 level bar
AXRelevanceIndicator: 114 rating
AXMenuButton: 129 push button menu
"""
_STATES = (
    *("invalid", "active", "armed", "busy", "checked", "collapsed", "defunct", "editable", "enabled", "expandable"),
    *("expanded", "focusable", "focused", "has-tooltip", "horizontal", "iconified", "modal", "multi-line"),
    *("multiselectable", "opaque", "pressed", "resizable", "selectable", "selected", "sensitive", "showing"),
    *("single-line", "stale", "transient", "vertical", "visible", "manages-descendants", "indeterminate", "required"),
    *("truncated", "animated", "invalid-entry", "supports-autocompletion", "selectable-text", "is-default"),
    *("visited", "checkable", "has-popup", "read-only"),
)

BITMAP_ROLES = 128
"""Higher roles don't fit into the bitmap of a search."""

DIALOGS = frozenset((2, 9, 16, 19, 22))
WINDOWS = DIALOGS | {14, 23, 28, 41, 69, 89}
MENU_ITEMS = frozenset((8, 33, 35, 45, 59))
LABELS = frozenset((1, 29, 81, 83, 116))
PASSWORD = 40

_NATIVE: dict[int, str] = {}
_AX: dict[int, str] = {}
for _line in _TABLE.strip().replace("\n    ", " ").splitlines():
    _ax_name, _, _items = _line.partition(": ")
    for _item in _items.split(", "):
        _number, _, _native_name = _item.partition(" ")
        _NATIVE[int(_number)], _AX[int(_number)] = _native_name, _ax_name

WINDOW_NAMES = frozenset(_NATIVE[role] for role in WINDOWS)

# roles that are a field or an area, depending on a state
_BY_STATE: Mapping[int, tuple[str, str]] = {
    61: ("multi-line", "AXTextArea"),
    73: ("editable", "AXTextArea"),
    79: ("multi-line", "AXTextArea"),
}

# newer AT-SPI names, and AX names that other platforms use
_ALIASES: Mapping[str, frozenset[int]] = {
    "button": frozenset((43,)),
    "buttonmenu": frozenset((129,)),
    "axdialog": DIALOGS,
    "axlistitem": frozenset((32,)),
    "axmenubutton": frozenset((129,)),
    "axpopupbutton": frozenset((11,)),
    "axswitch": frozenset((62, 130)),
    "axtab": frozenset((37,)),
    "axtabbutton": frozenset((37,)),
    "axtogglebutton": frozenset((62, 130)),
}


def native_name(role: int) -> str:
    return _NATIVE.get(role, f"role {role}")


def ax_name(role: int, states: Set[str]) -> str:
    if (special := _BY_STATE.get(role)) and special[0] in states:
        return special[1]
    return _AX.get(role, "AXUnknown")


def roles_named(name: str) -> frozenset[int]:
    """Returns every role that the name may mean; `has_name` decides for an element."""
    return _NUMBERS.get(_plain(name), frozenset())


def has_name(native: str, ax: str, name: str) -> bool:
    plain = _plain(name)
    if plain in (_plain(native), _plain(ax)):
        return True
    return any(_NATIVE[role] == native for role in _ALIASES.get(plain, ()))


def _plain(name: str) -> str:
    return name.casefold().removeprefix("role_").translate(_SEPARATORS)


def _build_index() -> dict[str, frozenset[int]]:
    roles_by_name: dict[str, set[int]] = {}
    for role, name in [*_NATIVE.items(), *_AX.items(), *((role, name) for role, (_, name) in _BY_STATE.items())]:
        roles_by_name.setdefault(_plain(name), set()).add(role)
    return {**_ALIASES, **{name: frozenset(roles) for name, roles in roles_by_name.items()}}


_SEPARATORS = str.maketrans("", "", " -_")
_NUMBERS = _build_index()


def state_names(words: Sequence[int]) -> frozenset[str]:
    """Decodes states, which are two words of bits."""
    return _state_names(*words) if len(words) == 2 else frozenset()


@lru_cache(maxsize=1024)
def _state_names(low: int, high: int) -> frozenset[str]:
    bits = (high << 32) | low
    names = {name for bit, name in enumerate(_STATES) if bits >> bit & 1}
    # GTK 4 sets only one of these two, which mean the same
    return frozenset(names | {"enabled"} if "sensitive" in names else names)
