"""The methods of contract 1 and its rulings."""

from collections.abc import Sequence

from handrail.features.desktop.host.methods import (
    actions,
    confirm_issue,
    dismiss_modal,
    inquiries,
    looking,
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
    window.METHOD,
    inquiries.LOCATE,
)
