"""Server and extension share one declaration per action, and the generated copy is up to date."""

import subprocess
import sys
from pathlib import Path

import pytest

from handrail.features.browser.bus import catalogue
from handrail.features.browser.bus.artifacts import UPLOAD_WITHIN
from handrail.features.browser.tool_list import TOOLS

ROOT = next(parent for parent in Path(__file__).parents if (parent / "pyproject.toml").is_file())


def test_web_protocol_is_generated_from_these_declarations() -> None:
    checked = subprocess.run(
        [sys.executable, ROOT / "scripts" / "protocol.py", "--check"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr


def test_every_action_is_a_tool_with_the_same_effect_and_repeatability() -> None:
    declared = {name: (action.effect, action.is_idempotent) for name, action in catalogue.ACTIONS.items()}
    assert {tool.name: (tool.effect, tool.is_idempotent) for tool in TOOLS} == declared


def test_the_server_waits_for_an_upload_as_long_as_an_upload_may_take() -> None:
    actions = {"browser_upload": {"tabId": 1, "clickId": "1", "artifactIds": ["art-1"]}}
    assert catalogue.seconds_for(actions) == UPLOAD_WITHIN


@pytest.mark.parametrize(
    "name",
    [
        "browser_navigate",
        "browser_hover",
        "browser_reload",
        "browser_select_option",
        "browser_tab_close",
        "browser_upload",
    ],
)
def test_actions_that_change_a_page_are_not_repeated(name: str) -> None:
    assert not catalogue.are_idempotent({name: {}})
