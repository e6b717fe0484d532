"""The recipe of the docs on a real desktop, and recipes that fail or are invalid."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.desktop_session import DesktopSession
from tests.e2e.desktop_agent import desktop_rig, on_desktop
from tests.faces.http.running import Running
from tests.persons import HANDRAIL, Person
from tests.waiting import PATIENCE

PAGE = Path(__file__).parents[2] / "docs" / "desktop.md"
NOWHERE = {"op": "click", "params": {"target": {"selector": {"titleContains": "nothing is called so"}}}}


@pytest.fixture(scope="module")
def rig(desktop_session: DesktopSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    editor = desktop_session.start(["mousepad"])
    with desktop_rig(desktop_session, tmp_path_factory.mktemp("d")) as rig:
        yield rig
    desktop_session.end(editor)


def of_the_docs() -> Any:
    text = PAGE.read_text(encoding="utf-8")
    return json.loads(text.partition("## Recipes")[2].partition("```json\n")[2].partition("```")[0])


class Run:
    def __init__(self, rig: Running, session: DesktopSession, recipe: Any, *options: str) -> None:
        file = rig.project.parent / "recipe.json"
        file.write_text(recipe if isinstance(recipe, str) else json.dumps(recipe))
        place = ["--project", str(rig.project), "--state", str(rig.state)]
        self._process = subprocess.Popen(
            [HANDRAIL, "desktop", "run", str(file), *place, *options],
            env={**os.environ, **on_desktop(session)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ends(self) -> tuple[int, str, str]:
        out, err = self._process.communicate(timeout=PATIENCE)
        return self._process.returncode, out, err


@pytest.mark.trial("programs", is_long=True)
def test_the_recipe_of_the_docs_runs_and_asks_for_the_step_that_acts(
    rig: Running, desktop_session: DesktopSession
) -> None:
    running = Run(rig, desktop_session, of_the_docs(), "--json")
    question = Person(rig.state).answers("--ok")
    assert question["prompt"]["title"].startswith('Type "Hello from a recipe" into textarea')
    status, out, err = running.ends()
    data = json.loads(out)
    assert (status, data["ok"], [step["ok"] for step in data["steps"]]) == (0, True, [True] * 4), data
    assert data["steps"][2]["result"]["matched"] == 1
    assert "2/4 step2: desktop_type_text ok" in err


def test_a_dry_run_shows_the_steps_and_does_nothing(rig: Running, desktop_session: DesktopSession) -> None:
    status, out, _ = Run(rig, desktop_session, of_the_docs(), "--dry-run").ends()
    assert status == 0
    assert "2. step2: desktop_type_text (UI_CONTROL)" in out
    assert Person(rig.state).pending() == []


def test_a_denied_step_ends_it(rig: Running, desktop_session: DesktopSession) -> None:
    status, out, _ = Run(rig, desktop_session, of_the_docs(), "--json", "--answer", "deny").ends()
    steps = json.loads(out)["steps"]
    assert (status, [step["ok"] for step in steps]) == (1, [True, False])
    assert steps[1]["error"]["code"] == "DESKTOP_CONFIRM_REQUIRED"


def test_a_failure_stops_it_unless_the_step_may_fail(rig: Running, desktop_session: DesktopSession) -> None:
    after = {"op": "health"}
    status, out, _ = Run(rig, desktop_session, {"steps": [NOWHERE, after]}, "--json").ends()
    assert (status, len(json.loads(out)["steps"])) == (1, 1)
    recipe = {"steps": [{**NOWHERE, "continueOnError": True}, after]}
    status, out, _ = Run(rig, desktop_session, recipe, "--json").ends()
    assert [step["ok"] for step in json.loads(out)["steps"]] == [False, True]
    assert json.loads(out)["steps"][0]["error"]["code"] == "DESKTOP_ELEMENT_NOT_FOUND"


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        ("{", "not JSON"),
        (
            {"steps": [{"op": "find", "params": {"selector": {"byColour": "red"}}}]},
            "unknown field `byColour`",
        ),
        ({"steps": [{"op": "write_to_file"}]}, "step 1 (step1): op"),
        ({"steps": [{"op": "health"}, {"op": "click", "params": {"target": {"$ref": "x.y"}}}]}, "no earlier step"),
    ],
)
def test_mistakes_are_reported_before_anything_is_done(
    rig: Running, desktop_session: DesktopSession, recipe: Any, words: str
) -> None:
    status, _, err = Run(rig, desktop_session, recipe).ends()
    assert (status, words in err) == (2, True), err
