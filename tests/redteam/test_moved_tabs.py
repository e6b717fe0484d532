"""A rule allows an action in one place, but the tab navigates away before it is carried out, in a real Chromium."""

from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from tests.effort import count, first_of, tries
from tests.redteam.agents_rig import Rig
from tests.redteam.bank import Bank, Pages, serving
from tests.waiting import until
from tests.wire.browsing import Outcome

Act = tuple[str, dict[str, object]]


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bank]:
    with serving() as site:
        bank = Bank(tmp_path_factory.mktemp("moved"), site)
        allowed = f'\n[[rules]]\neffect = "UI_CONTROL"\nplace = "{site.rstrip("/")}"\ndecision = "allow"\n'
        with (bank.state / "config.toml").open("a") as config:
            config.write(allowed)
        yield bank
        bank.close()


def ended(bank: Bank, call: "Future[Outcome]") -> Outcome:
    """Denies the question about where it has led."""
    until(lambda: call.done() or bank.person.pending())
    until(Pages.is_swapped.is_set, lambda: call.result(0))
    if not call.done():
        bank.person.answers("--cancel")
    return call.result(60)


ACTS: dict[str, Act] = {
    "a click at a point": ("browser_click", {"x": 200, "y": 200}),
    "a key": ("browser_press_key", {"key": "Enter"}),
    "a text for what has the focus": ("browser_type", {"text": "secret"}),
    "a text for a path": ("browser_type", {"xpath": "//input[1]", "text": "secret"}),
    "a click on a path by script": ("browser_click", {"xpath": "//button[1]", "strategy": "dom_click"}),
    "a scroll": ("browser_scroll", {}),
}


@pytest.mark.parametrize("name", first_of("swapped", *((name,) for name in ACTS)))
def test_a_tab_that_navigates_during_a_takeover_loses_earlier_approvals(bank: Bank, name: str) -> None:
    """The allowed call waits until the task is handed back; by then the tab shows a page of another place."""
    bank.opens(f"asked.then(() => {{ location = '{bank.elsewhere}'; }})")
    rig = Rig(bank.up, bank.project, bank.state)
    person, (task, *_) = rig.sign_in(), rig.ask("GET", "/api/task/list", rig.server["token"]).json()["data"]
    whole = f"/api/task/{task['taskId']}"
    assert rig.ask("POST", f"{whole}/takeover", headers=person).status_code == 200
    before = requests(bank)
    tool, params = ACTS[name]
    call = bank.begins(tool, **params)
    until(lambda: call.done() or requests(bank) > before)
    Pages.is_asked.set()
    until(Pages.is_swapped.is_set)
    assert rig.ask("POST", f"{whole}/handback", headers=person).status_code == 200
    message = ended(bank, call)
    assert Pages.sent == []
    assert message.code == "INVALID_TARGET", message
    assert message.error is not None
    assert "another place" in message.error["message"], message


def requests(bank: Bank) -> int:
    """What is about to be done is on disk before."""
    return len(list((bank.project / ".handrail" / "artifacts").rglob("request.json")))


LEAVE = "location = '{}'"
CARD = (
    "document.body.insertAdjacentHTML('afterbegin', '<p id=card draggable=true>Drag me</p>');"
    "document.getElementById('card').ondragstart = (event) => {{ event.dataTransfer.setData('text/plain', 'x'); {}; }}"
)
ON_THE_WAY: dict[str, tuple[str, Act]] = {
    "the lines after Enter": (
        "form.note.focus(); form.onkeydown = ({{ key }}) => {{ if (key === 'Enter') {{ {}; return false; }} }}",
        ("browser_type", {"text": "user" + "\n" * 100 + "secret"}),
    ),
    "what is dragged": (
        CARD,
        ("browser_drag", {"xpath": "//p[@id='card']", "path": [[5, 5], *([200, 20 * step] for step in range(12))]}),
    ),
}


@pytest.mark.trial("swapped")
@pytest.mark.parametrize("name", ON_THE_WAY)
def test_an_action_stops_when_its_page_navigates_away(bank: Bank, name: str) -> None:
    """Also on a busy machine, where the other page may arrive between the last check and the next key."""
    script, (tool, params) = ON_THE_WAY[name]
    for _ in range(tries(1, 60)):
        count()
        bank.opens(script.format(LEAVE.format(bank.elsewhere)))
        message = ended(bank, bank.begins(tool, **params))
        assert Pages.sent == []
        assert message.error is not None
