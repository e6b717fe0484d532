"""The methods of contract 1 and its rulings, one module each."""

from collections.abc import Sequence

from handrail.features.desktop.host.methods import (
    abort,
    click,
    confirm_issue,
    dismiss_modal,
    doctor,
    find,
    health,
    highlight,
    hotkey,
    list_modals,
    locate,
    observe,
    type_text,
    wait_until,
)
from handrail.features.desktop.host.services import Method

METHODS: Sequence[Method] = (
    health.METHOD,
    doctor.METHOD,
    observe.METHOD,
    find.METHOD,
    click.METHOD,
    type_text.METHOD,
    hotkey.METHOD,
    wait_until.METHOD,
    abort.METHOD,
    confirm_issue.METHOD,
    highlight.METHOD,
    list_modals.METHOD,
    dismiss_modal.METHOD,
    locate.METHOD,
)
