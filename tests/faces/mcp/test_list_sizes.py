"""How long the lists of tools are that a client and the agent's model get, so that they leave room for the work."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from handrail.faces.mcp.listing import tool_listing
from handrail.features.agent.plan import CHECK_OFF
from handrail.features.agent.tool_runner import ToolOffers
from handrail.kernel.approval import NoApprover
from handrail.kernel.project import Project
from handrail.kernel.registry import RegisteredTool
from handrail.kernel.settings import Settings
from handrail.wiring import Wiring
from tests.wire.stage import furnish

CHARACTERS_PER_TOKEN = 4.2
"""Measured with o200k: 4.1 in the default list, 4.2 and 4.3 in the desktop's and the browser's."""
CHARACTERS_PER_TOKEN_OF_OFFERS = 3.6


def opened(folder: Path) -> Project:
    """A game, whose list is the longest."""
    assert Settings().all_tools is False
    return Wiring().open_project(furnish(folder / "game"), folder / "state", NoApprover())


def tokens(entries: Iterable[RegisteredTool]) -> float:
    lists = (tool_listing(entry.tool, has_output=False) for entry in entries)
    shown = [{name: each[name] for name in ("name", "description", "inputSchema")} for each in lists]
    return len(json.dumps(shown, separators=(",", ":"))) / CHARACTERS_PER_TOKEN


@pytest.mark.parametrize(
    ("surfaces", "most"),
    [(None, 4452), (["browser"], 3500), (["desktop"], 2500)],
    ids=["default", "browser", "desktop"],
)
def test_a_clients_first_list_is_short(surfaces: Sequence[str] | None, most: int, tmp_path: Path) -> None:
    gate = opened(tmp_path).gate
    registry = gate.registry if surfaces is None else gate.with_surfaces(surfaces, "all").registry
    assert 0 < tokens(registry.listed) <= most


def test_the_agents_first_request_has_few_tokens_of_tools(tmp_path: Path) -> None:
    offers = [*ToolOffers(opened(tmp_path).gate.registry).in_mode("act"), CHECK_OFF]
    sent = [
        {"name": each.name, "description": each.description, "parameters": dict(each.parameters)} for each in offers
    ]
    assert len(json.dumps(sent)) / CHARACTERS_PER_TOKEN_OF_OFFERS <= 6000
