"""AT-SPI's roles by number, and the contract's AX names for them. Both are accepted where a role is asked for."""

from collections.abc import Mapping, Set

_TABLE = """
0 invalid AXUnknown
1 accelerator label AXStaticText
2 alert AXSheet
3 animation AXImage
4 arrow AXImage
5 calendar AXGroup
6 canvas AXGroup
7 check box AXCheckBox
8 check menu item AXMenuItem
9 color chooser AXWindow
10 column header AXCell
11 combo box AXComboBox
12 date editor AXDateField
13 desktop icon AXImage
14 desktop frame AXWindow
15 dial AXSlider
16 dialog AXWindow
17 directory pane AXGroup
18 drawing area AXGroup
19 file chooser AXWindow
20 filler AXGroup
21 focus traversable AXGroup
22 font chooser AXWindow
23 frame AXWindow
24 glass pane AXGroup
25 html container AXWebArea
26 icon AXImage
27 image AXImage
28 internal frame AXWindow
29 label AXStaticText
30 layered pane AXGroup
31 list AXList
32 list item AXRow
33 menu AXMenu
34 menu bar AXMenuBar
35 menu item AXMenuItem
36 option pane AXGroup
37 page tab AXRadioButton
38 page tab list AXTabGroup
39 panel AXGroup
40 password text AXSecureTextField
41 popup menu AXMenu
42 progress bar AXProgressIndicator
43 push button AXButton
44 radio button AXRadioButton
45 radio menu item AXMenuItem
46 root pane AXGroup
47 row header AXCell
48 scroll bar AXScrollBar
49 scroll pane AXScrollArea
50 separator AXSplitter
51 slider AXSlider
52 spin button AXIncrementor
53 split pane AXSplitGroup
54 status bar AXGroup
55 table AXTable
56 table cell AXCell
57 table column header AXCell
58 table row header AXCell
59 tearoff menu item AXMenuItem
60 terminal AXTextArea
61 text AXTextField
62 toggle button AXCheckBox
63 tool bar AXToolbar
64 tool tip AXHelpTag
65 tree AXOutline
66 tree table AXOutline
67 unknown AXUnknown
68 viewport AXGroup
69 window AXWindow
70 extended AXUnknown
71 header AXGroup
72 footer AXGroup
73 paragraph AXGroup
74 ruler AXRuler
75 application AXApplication
76 autocomplete AXComboBox
77 editbar AXTextField
78 embedded AXGroup
79 entry AXTextField
80 chart AXImage
81 caption AXStaticText
82 document frame AXWebArea
83 heading AXHeading
84 page AXGroup
85 section AXGroup
86 redundant object AXUnknown
87 form AXGroup
88 link AXLink
89 input method window AXWindow
90 table row AXRow
91 tree item AXRow
92 document spreadsheet AXTable
93 document presentation AXGroup
94 document text AXTextArea
95 document web AXWebArea
96 document email AXTextArea
97 comment AXGroup
98 list box AXList
99 grouping AXGroup
100 image map AXImage
101 notification AXGroup
102 info bar AXGroup
103 level bar AXLevelIndicator
104 title bar AXGroup
105 block quote AXGroup
106 audio AXGroup
107 video AXGroup
108 definition AXGroup
109 article AXGroup
110 landmark AXGroup
111 log AXGroup
112 marquee AXGroup
113 math AXGroup
114 rating AXRelevanceIndicator
115 timer AXStaticText
116 static AXStaticText
117 math fraction AXGroup
118 math root AXGroup
119 subscript AXGroup
120 superscript AXGroup
121 description list AXList
122 description term AXGroup
123 description value AXGroup
124 footnote AXGroup
125 content deletion AXGroup
126 content insertion AXGroup
127 mark AXGroup
128 suggestion AXGroup
129 push button menu AXMenuButton
130 switch AXCheckBox
"""

BITMAP_ROLES = 128
"""Roles from here on don't fit into the bitmap of a search."""

DIALOGS = frozenset((2, 9, 16, 19, 22))
WINDOWS = DIALOGS | {14, 23, 28, 41, 69, 89}
MENU_ITEMS = frozenset((8, 33, 35, 45, 59))
LABELS = frozenset((1, 29, 81, 83, 116))
SECRET = 40

_NATIVE: dict[int, str] = {}
_AX: dict[int, str] = {}
for _line in _TABLE.strip().splitlines():
    _number, _, _names = _line.partition(" ")
    _NATIVE[int(_number)], _, _AX[int(_number)] = _names.rpartition(" ")

WINDOW_NAMES = frozenset(_NATIVE[role] for role in WINDOWS)

# The same role is a field or an area, depending on the state beside it.
_BY_STATE: Mapping[int, tuple[str, str]] = {
    61: ("multi-line", "AXTextArea"),
    73: ("editable", "AXTextArea"),
    79: ("multi-line", "AXTextArea"),
}

# Names that AT-SPI has given a role since, and AX names that other platforms give to one of ours.
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


def numbers(name: str) -> frozenset[int]:
    """Every role that may be meant; `is_called` says of an element whether it is."""
    return _NUMBERS.get(_plain(name), frozenset())


def is_called(native: str, ax: str, name: str) -> bool:
    plain = _plain(name)
    if plain in (_plain(native), _plain(ax)):
        return True
    return any(_NATIVE[role] == native for role in _ALIASES.get(plain, ()))


def _plain(name: str) -> str:
    return name.casefold().removeprefix("role_").translate(_SEPARATORS)


def _index() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for role, name in [*_NATIVE.items(), *_AX.items(), *((role, name) for role, (_, name) in _BY_STATE.items())]:
        found.setdefault(_plain(name), set()).add(role)
    return {**_ALIASES, **{name: frozenset(roles) for name, roles in found.items()}}


_SEPARATORS = str.maketrans("", "", " -_")
_NUMBERS = _index()
