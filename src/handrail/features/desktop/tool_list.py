"""The person's desktop, through the host that carries out contract 1's methods."""

from handrail.features.desktop.tools.acting import CLICK, DISMISS_MODAL, HOTKEY, POINTER, TYPE_TEXT, WINDOW
from handrail.features.desktop.tools.apps import CLIPBOARD, LAUNCH
from handrail.features.desktop.tools.asking_host import ABORT, DOCTOR, HEALTH
from handrail.features.desktop.tools.choosing import MENU, SET_VALUE
from handrail.features.desktop.tools.looking import FIND, HIGHLIGHT, LIST_MODALS, OBSERVE, OCR, WAIT_UNTIL

TOOLS = (
    *(OBSERVE, FIND, CLICK, TYPE_TEXT, HOTKEY, POINTER, SET_VALUE, MENU, WINDOW, WAIT_UNTIL, LIST_MODALS),
    *(OCR, DISMISS_MODAL, HIGHLIGHT, LAUNCH, CLIPBOARD, ABORT, HEALTH, DOCTOR),
)
