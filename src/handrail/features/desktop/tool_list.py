"""The person's desktop, through the host that carries out contract 1's methods."""

from handrail.features.desktop.tools.acting import CLICK, DISMISS_MODAL, HOTKEY, POINTER, TYPE_TEXT, WINDOW
from handrail.features.desktop.tools.asking_host import ABORT, DOCTOR, HEALTH
from handrail.features.desktop.tools.looking import FIND, HIGHLIGHT, LIST_MODALS, OBSERVE, WAIT_UNTIL

TOOLS = (
    *(OBSERVE, FIND, CLICK, TYPE_TEXT, HOTKEY, POINTER, WINDOW, WAIT_UNTIL, LIST_MODALS, DISMISS_MODAL, HIGHLIGHT),
    *(ABORT, HEALTH, DOCTOR),
)
