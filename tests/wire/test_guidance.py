"""MCP prompts and resources of WebGAL games: what they contain, what they hide, and what the gate records."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.effort import first_of
from tests.wire.clients import Refused, Start, Stdio, Streamable
from tests.wire.stage import START, Stage, put, put_policy

INVALID_PARAMS, NOT_FOUND = -32602, -32002
CREATE, REWORK, MEND = "webgal.create_scene", "webgal.refactor_scene", "webgal.fix_validation"
ODD_NAMES = ["a b.txt", "100%.txt", "引号'\".txt", "🐱.txt", "part/two.txt"]

Mcp = Stdio | Streamable


@pytest.fixture(params=first_of("faces", ("stdio",), ("streamable",)))
def mcp(request: pytest.FixtureRequest, stage: Stage, project: Path) -> Mcp:
    client = stage.client(request.param)
    assert isinstance(client, Stdio | Streamable)
    return client


@pytest.fixture
def game(project: Path) -> Path:
    put(project, "game/background/beach.jpg", b"")
    put(project, "game/figure/yukino.png", b"")
    put(project, "game/bgm/sea.mp3", b"")
    put(project, "game/characters.json", '{"characters": [{"name": "雪乃", "imageFile": "yukino.png"}]}')
    put(project, START, "setVar:mood=1;\n雪乃:海风真舒服呢;\nchangeBg:beech.jpg;\nchangeScene:two.txt;\n")
    put(project, "game/scene/two.txt", "阿树:到了;\nend;\n")
    return project


def prompt_text(client: Mcp, prompt: str, **arguments: str) -> str:
    """Returns the text of a prompt without its attachments."""
    result = client.request("prompts/get", {"name": prompt, "arguments": arguments})
    assert {message["role"] for message in result["messages"]} == {"user"}
    (text,) = [each["content"]["text"] for each in result["messages"] if each["content"]["type"] == "text"]
    return str(text)


def attached(client: Mcp, prompt: str, **arguments: str) -> list[dict[str, Any]]:
    messages = client.request("prompts/get", {"name": prompt, "arguments": arguments})["messages"]
    return [each["content"]["resource"] for each in messages if each["content"]["type"] == "resource"]


def refused(client: Mcp, method: str, **params: Any) -> int:
    with pytest.raises(Refused) as caught:
        client.request(method, params)
    assert isinstance(caught.value.code, int)
    return caught.value.code


def test_three_prompts_are_listed_with_their_arguments(mcp: Mcp) -> None:
    prompts = {prompt["name"]: prompt for prompt in mcp.request("prompts/list", {})["prompts"]}
    assert list(prompts) == [CREATE, REWORK, MEND]
    needs = {
        name: [each["name"] for each in prompt["arguments"] if each["required"]] for name, prompt in prompts.items()
    }
    assert needs == {CREATE: ["name"], REWORK: ["path"], MEND: []}
    assert all(prompt["title"] and prompt["description"] for prompt in prompts.values())


def test_the_prompt_for_a_new_scene_lists_the_games_resources(mcp: Mcp, game: Path) -> None:
    text = prompt_text(mcp, CREATE, name="beach_date", outline="海边约会")
    for fact in (
        "game/scene/beach_date.txt",
        "海边约会",
        "雪乃 (lines: 1)",
        "阿树",
        "beach.jpg",
        "yukino.png",
        "sea.mp3",
    ):
        assert fact in text
    for fact in ("start.txt, two.txt", "mood", "validate_script", "write_to_file", "dryRun"):
        assert fact in text


def test_a_scene_is_reworked_with_its_text_its_neighbours_and_its_problems(mcp: Mcp, game: Path) -> None:
    for name in ("two", "two.txt", "game/scene/two.txt"):
        (scene,) = attached(mcp, REWORK, path=name)
        assert (scene["uri"], scene["text"]) == ("webgal://scene/two.txt", "阿树:到了;\nend;\n")
    text = prompt_text(mcp, REWORK, path="two", goal="更温柔")
    assert "更温柔" in text
    assert "Reached from: start.txt" in text
    assert "found no problems" in text


def test_problems_come_with_lines_and_suggestions_of_one_scene_or_all(mcp: Mcp, game: Path) -> None:
    one, everything = prompt_text(mcp, MEND, path=START), prompt_text(mcp, MEND)
    for text in (one, everything):
        assert "line 3: " in text
        assert "WG201" in text
        assert "suggested: changeBg:beach.jpg;" in text
    assert "found no problems" in prompt_text(mcp, MEND, path="two")


def test_an_unavailable_prompt_is_refused_with_the_reason(mcp: Mcp, game: Path) -> None:
    put(game, "game/scene/long.txt", "雪乃:一二三四五六七八九十;\n" * 20_000)
    wrong: list[tuple[str, dict[str, str]]] = [
        ("webgal.nothing", {}),
        (CREATE, {}),
        (CREATE, {"name": "start"}),
        (CREATE, {"name": "../escape"}),
        (CREATE, {"name": "x", "unknown": "y"}),
        (REWORK, {"path": "tow"}),
        (REWORK, {"path": "long"}),
    ]
    for name, arguments in wrong:
        assert refused(mcp, "prompts/get", name=name, arguments=arguments) == INVALID_PARAMS, name


def test_without_a_game_there_is_nothing_to_say_and_nothing_to_read(mcp: Mcp, project: Path) -> None:
    (project / START).unlink()
    assert refused(mcp, "prompts/get", name=MEND, arguments={}) == INVALID_PARAMS
    assert mcp.request("resources/list", {})["resources"] == []


def test_prompts_and_resources_do_not_share_names_with_tools(mcp: Mcp, game: Path) -> None:
    for name in (MEND, "webgal.scene", "webgal.scenes"):
        assert refused(mcp, "tools/call", name=name, arguments={}) == INVALID_PARAMS
        assert name not in {tool["name"] for tool in mcp.request("tools/list", {})["tools"]}
    assert refused(mcp, "prompts/get", name="read_file", arguments={"path": "notes.md"}) == INVALID_PARAMS


def test_scenes_with_any_name_are_listed_and_read_by_uri(mcp: Mcp, game: Path) -> None:
    for name in ODD_NAMES:
        put(game, f"game/scene/{name}", f"{name}:你好;\n")
    resources = mcp.request("resources/list", {})["resources"]
    assert [scene["name"] for scene in resources] == sorted([*ODD_NAMES, "start.txt", "two.txt"])
    for scene in resources:
        (content,) = mcp.request("resources/read", {"uri": scene["uri"]})["contents"]
        assert content["uri"] == scene["uri"]
        assert content["mimeType"] == scene["mimeType"] == "text/plain"
        assert content["text"] == (game / "game/scene" / scene["name"]).read_text()
    templates = mcp.request("resources/templates/list", {})["resourceTemplates"]
    assert "webgal://scene/{+path}" in [template["uriTemplate"] for template in templates]


def test_scenes_are_completed_while_they_are_typed(mcp: Mcp, game: Path) -> None:
    put(game, "game/scene/restart.txt", "")

    def values(ref: dict[str, str], argument: str, typed: str) -> list[str]:
        params = {"ref": ref, "argument": {"name": argument, "value": typed}}
        return list(mcp.request("completion/complete", params)["completion"]["values"])

    prompt, template = {"type": "ref/prompt", "name": REWORK}, {"type": "ref/resource", "uri": "webgal://scene/{+path}"}
    assert values(prompt, "path", "STA") == values(template, "path", "sta") == ["start.txt", "restart.txt"]
    assert values(prompt, "goal", "") == values(template, "other", "") == []
    for ref in ({"type": "ref/prompt", "name": "none"}, {"type": "ref/resource", "uri": "file:///{path}"}):
        argument = {"name": "path", "value": ""}
        assert refused(mcp, "completion/complete", ref=ref, argument=argument) == INVALID_PARAMS


def test_no_address_leads_out_of_the_scenes(mcp: Mcp, game: Path, tmp_path: Path) -> None:
    (game / "game/scene/link.txt").symlink_to(put(tmp_path, "secret.txt", "secret"))
    put(game, "game/scene/.git/hidden.txt", "hidden")
    missing = [
        "webgal://scene/none.txt",
        "webgal://scene//etc/x.txt",
        "webgal://scene/",
        "webgal://scene",
        "file:///etc/passwd",
        "webgal://config.txt",
    ]
    for uri in missing:
        assert refused(mcp, "resources/read", uri=uri) == NOT_FOUND, uri
    closed_tools = [
        "../config.txt",
        "%2e%2e/config.txt",
        "link.txt",
        ".git/hidden.txt",
        "a%5cb.txt",
        "a%00.txt",
    ]
    for path in closed_tools:
        assert refused(mcp, "resources/read", uri=f"webgal://scene/{path}") == INVALID_PARAMS, path
    assert "link.txt" not in json.dumps(mcp.request("resources/list", {}))


def test_a_scene_that_is_too_large_or_no_text_is_refused(mcp: Mcp, game: Path) -> None:
    put(game, "game/scene/binary.txt", b"\xff\xfe\x00")
    put(game, "game/scene/large.txt", "a" * 101)
    put_policy(game, maxReadBytes=100)
    for name in ("binary.txt", "large.txt"):
        assert refused(mcp, "resources/read", uri=f"webgal://scene/{name}") == INVALID_PARAMS


def test_many_scenes_come_page_by_page(mcp: Mcp, project: Path) -> None:
    for number in range(1500):
        put(project, f"game/scene/s{number:04}.txt", "")
    first = mcp.request("resources/list", {})
    rest = mcp.request("resources/list", {"cursor": first["nextCursor"]})
    names = [scene["name"] for scene in (*first["resources"], *rest["resources"])]
    assert len(set(names)) == len(names) == 1501
    assert "nextCursor" not in rest
    for cursor in ("x", "-1", "0", "9" * 30):
        assert refused(mcp, "resources/list", cursor=cursor) == INVALID_PARAMS


def test_rules_apply_to_resources_and_reads_are_audited(mcp: Mcp, stage: Stage, game: Path) -> None:
    put_policy(game, [{"effect": "READ", "path": "game/scene/two.txt", "decision": "deny"}])
    assert [scene["name"] for scene in mcp.request("resources/list", {})["resources"]] == ["start.txt"]
    assert refused(mcp, "resources/read", uri="webgal://scene/two.txt") == INVALID_PARAMS
    assert refused(mcp, "prompts/get", name=REWORK, arguments={"path": "two"}) == INVALID_PARAMS
    assert "two.txt" not in prompt_text(mcp, CREATE, name="three").partition("## How scripts")[0]
    records = [json.loads(line) for line in audit(stage.state)[-8:]]
    denied = [each for each in records if each["tool"] == "webgal.scene"][-1]
    assert (denied["ok"], denied["effect"], denied["target"]) == (False, "READ", "game/scene/two.txt")
    assert {each["tool"] for each in records} >= {"webgal.scenes", REWORK, CREATE}


def audit(state: Path) -> list[str]:
    (journal,) = (state / "audit").glob("*.jsonl")
    return journal.read_text(encoding="utf-8").splitlines()


def test_without_the_game_tools_no_prompts_are_offered(start: Start, own_project: Path, own_state: Path) -> None:
    client = start("stdio", own_project, own_state, tools="people")
    assert isinstance(client, Stdio)
    assert refused(client, "prompts/list") == refused(client, "resources/list") == -32601
