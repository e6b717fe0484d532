"""The desktop tools, in the order in which they are listed."""

from handrail.features.desktop.tools.actions import (
    CLICK,
    DISMISS_MODAL,
    HOTKEY,
    MENU,
    POINTER,
    SET_VALUE,
    TYPE_TEXT,
    WINDOW,
)
from handrail.features.desktop.tools.apps import CLIPBOARD, LAUNCH
from handrail.features.desktop.tools.host_status import ABORT, DOCTOR, HEALTH
from handrail.features.desktop.tools.observation import FIND, HIGHLIGHT, LIST_MODALS, OBSERVE, OCR, WAIT_UNTIL

TOOLS = (
    *(OBSERVE, FIND, CLICK, TYPE_TEXT, HOTKEY, POINTER, SET_VALUE, MENU, WINDOW, WAIT_UNTIL, LIST_MODALS),
    *(OCR, DISMISS_MODAL, HIGHLIGHT, LAUNCH, CLIPBOARD, ABORT, HEALTH, DOCTOR),
)
