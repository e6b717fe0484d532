"""The host is told to press exactly the button of a modal window that a person was shown."""

from collections.abc import Callable
from typing import Any

import pytest

from handrail.kernel.digest import digest
from tests.features.desktop.tools.scripted_host import DesktopGate, ScriptedHost, window

pytestmark = pytest.mark.anyio

Open = Callable[..., DesktopGate]
BY_TITLE = {"type": "byTitle", "titleContains": "Discard"}
DEFAULT = {"type": "defaultButton"}
DISCARD = {"elementId": "e:2", "fingerprint": "AXButton|Discard", "role": "AXButton", "title": "Discard"}


def asking(button: dict[str, Any] | None) -> ScriptedHost:
    """A host whose strategy chooses this button, or a key if there is none."""
    host = ScriptedHost(window("editor", "Really?"))
    element = {} if button is None else {"element": button}
    host.answers["desktop.locate"] = lambda params: {"routeResolved": host.front(), **element}
    host.answers["desktop.dismissModal"] = lambda params: {"dismissed": True}
    return host


@pytest.mark.parametrize("strategy", [BY_TITLE, DEFAULT])
async def test_the_button_that_was_shown_is_sent_along_and_the_approval_is_for_it(
    open_gate: Open, strategy: dict[str, str]
) -> None:
    gate = open_gate(asking(DISCARD))
    await gate.does("desktop_dismiss_modal", strategy=strategy)
    (request,) = gate.host.params_of("desktop.locate")
    assert request["intent"] == {"method": "desktop.dismissModal", "params": {"strategy": strategy}}
    (sent,) = gate.host.params_of("desktop.dismissModal")
    del sent["confirm"]
    assert sent["target"] == {"elementRef": {"elementId": "e:2", "fingerprint": "AXButton|Discard"}}
    (question,) = gate.questions
    assert "Discard" in question.preview.summary
    assert question.preview.warrant is not None
    assert question.preview.warrant.params_digest == digest(sent)


@pytest.mark.parametrize("strategy", [{"type": "esc"}, DEFAULT])
async def test_a_dialog_dismissed_by_key_names_no_button(open_gate: Open, strategy: dict[str, str]) -> None:
    gate = open_gate(asking(None))
    await gate.does("desktop_dismiss_modal", strategy=strategy)
    (request,) = gate.host.params_of("desktop.dismissModal")
    assert "target" not in request
    assert request["route"]["window"] == {"titlePattern": r"^Really\?$"}
