"""The methods of the desktop host, in the order of contract 1."""

from collections.abc import Sequence

from handrail.features.desktop.host.methods import (
    confirm_issue,
    dismiss_modal,
    fields,
    hotkey,
    launch,
    observation,
    ocr,
    pointer,
    unrecorded,
    wait_until,
    window,
)
from handrail.features.desktop.host.services import Method

METHODS: Sequence[Method] = (
    unrecorded.HEALTH,
    unrecorded.DOCTOR,
    observation.OBSERVE,
    observation.FIND,
    ocr.METHOD,
    pointer.CLICK,
    fields.TYPE_TEXT,
    hotkey.METHOD,
    wait_until.METHOD,
    unrecorded.ABORT,
    confirm_issue.METHOD,
    observation.HIGHLIGHT,
    observation.LIST_MODALS,
    dismiss_modal.METHOD,
    pointer.POINTER,
    fields.SET_VALUE,
    window.MENU,
    window.WINDOW,
    launch.LAUNCH,
    launch.CLIPBOARD,
    unrecorded.LOCATE,
)
