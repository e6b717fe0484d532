"""The methods of contract 1 and its rulings."""

from collections.abc import Sequence

from handrail.features.desktop.host.methods import (
    actions,
    choices,
    confirm_issue,
    dismiss_modal,
    inquiries,
    launch,
    looking,
    ocr,
    pointer,
    wait_until,
    window,
)
from handrail.features.desktop.host.services import Method

METHODS: Sequence[Method] = (
    inquiries.HEALTH,
    inquiries.DOCTOR,
    looking.OBSERVE,
    looking.FIND,
    ocr.METHOD,
    actions.CLICK,
    actions.TYPE_TEXT,
    actions.HOTKEY,
    wait_until.METHOD,
    inquiries.ABORT,
    confirm_issue.METHOD,
    looking.HIGHLIGHT,
    looking.LIST_MODALS,
    dismiss_modal.METHOD,
    pointer.METHOD,
    choices.SET_VALUE,
    choices.MENU,
    window.METHOD,
    launch.LAUNCH,
    launch.CLIPBOARD,
    inquiries.LOCATE,
)
