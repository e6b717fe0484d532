"""The methods of contract 1 and its rulings."""

from collections.abc import Sequence

from handrail.features.desktop.host.methods import (
    actions,
    confirm_issue,
    dismiss_modal,
    elements,
    inquiries,
    observe,
    wait_until,
)
from handrail.features.desktop.host.services import Method

METHODS: Sequence[Method] = (
    inquiries.HEALTH,
    inquiries.DOCTOR,
    observe.METHOD,
    elements.FIND,
    actions.CLICK,
    actions.TYPE_TEXT,
    actions.HOTKEY,
    wait_until.METHOD,
    inquiries.ABORT,
    confirm_issue.METHOD,
    elements.HIGHLIGHT,
    elements.LIST_MODALS,
    dismiss_modal.METHOD,
    inquiries.LOCATE,
)
