"""The button of a modal window that a person was shown is the one that the host is told to press."""

from collections.abc import Callable
from typing import Any

import pytest

from handrail.kernel.digest import digest
from tests.surfaces.desktop.scripted_host import DesktopGate, ScriptedHost, window

pytestmark = pytest.mark.anyio

Open = Callable[..., DesktopGate]
BY_TITLE = {"type": "byTitle", "titleContains": "Discard"}
DEFAULT = {"type": "defaultButton"}


def button(id: str, title: str, *states: str) -> dict[str, Any]:
    return {"elementId": id, "fingerprint": f"AXButton|{title}", "role": "AXButton", "title": title, "states": states}


KEEP, DISCARD = button("e:1", "Keep", "enabled"), button("e:2", "Discard", "enabled")
MARKED, DISABLED = button("e:3", "Save", "enabled", "is-default"), button("e:4", "Print")


def asking(*buttons: dict[str, Any]) -> ScriptedHost:
    """A host whose one modal window has these buttons, and which finds a button by its title or reference."""
    host = ScriptedHost(window("editor", "Really?"))
    modal = {"title": "Really?", "app": "editor", "pid": 7, "isFront": True, "buttons": buttons}

    def seen(params: dict[str, Any]) -> dict[str, Any]:
        target = params.get("target", {})
        named = target.get("elementRef", {}).get("elementId"), target.get("selector", {}).get("titleContains")
        found = [one for one in buttons if one["elementId"] == named[0] or one["title"] == named[1]]
        return {"routeResolved": host.front(), **({"element": found[0]} if found else {})}

    host.answers["desktop.observe"] = seen
    host.answers["desktop.listModals"] = lambda params: {"modals": [modal], "count": 1}
    host.answers["desktop.dismissModal"] = lambda params: {"dismissed": True}
    return host


@pytest.mark.parametrize(
    ("buttons", "strategy", "pressed"),
    [
        ([KEEP, DISCARD], BY_TITLE, DISCARD),
        ([KEEP, MARKED], DEFAULT, MARKED),
        ([DISABLED, KEEP], DEFAULT, KEEP),
    ],
)
async def test_the_button_that_was_shown_is_sent_along_and_the_approval_is_for_it(
    opened: Open, buttons: list[dict[str, Any]], strategy: dict[str, str], pressed: dict[str, Any]
) -> None:
    gate = opened(asking(*buttons))
    await gate.does("desktop_dismiss_modal", strategy=strategy)
    (sent,) = gate.host.got("desktop.dismissModal")
    del sent["confirm"]
    reference = {"elementId": pressed["elementId"], "fingerprint": pressed["fingerprint"]}
    assert sent["target"] == {"elementRef": reference}
    (question,) = gate.questions
    assert pressed["title"] in question.preview.summary
    assert question.preview.warrant is not None
    assert question.preview.warrant.params_digest == digest(sent)


@pytest.mark.parametrize(("buttons", "strategy"), [([KEEP], {"type": "esc"}), ([KEEP, DISCARD], DEFAULT)])
async def test_where_a_key_will_do_it_no_button_is_named(
    opened: Open, buttons: list[dict[str, Any]], strategy: dict[str, str]
) -> None:
    gate = opened(asking(*buttons))
    await gate.does("desktop_dismiss_modal", strategy=strategy)
    (sent,) = gate.host.got("desktop.dismissModal")
    assert "target" not in sent
