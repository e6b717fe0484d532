"""Every branch of the tour's script that a person's answers can lead to; `tests/e2e/test_demo.py` runs the main one."""

import json
from collections.abc import Collection

from demo.tour_folder import GAME, ROOT
from handrail.features.agent.models.scripted import Script, read_script
from handrail.ports.model import AssistantTurn, Note, ToolResult, Turn, UserTurn

SCENE = (GAME / "game" / "scene" / "harbour.txt").read_text()
PROBLEMS = (
    '{"valid":false,"diagnostics":[{"line":4,"kind":"resource","message":"","fixHint":"changeBg:harbour.png -next;"},'
    '{"line":9,"kind":"syntax","message":"","fixHint":"playEffect:bell.wav -volume=40;"}]}'
)
OUTCOMES = {
    "ask_followup_question": '{"answer":"about 75, please","ack":true}',
    "preview_scene": '{"url":"http://127.0.0.1:1/#scene=harbour","logs":[]}',
    "task_start": "Tab 7 is open.",
    "browser_dom_index": '5 span "快进"\n15 div "循着铃声去灯塔"',
    "browser_click": "Clicked.",
    "apps_list": "com.example.notes (Notes): Short notes to remember things by. [4 tools]",
    "desktop_observe": 'e:3 checkbox "The pier is dark"\ne:4 checkbox "The bell never rings"',
}
STEPS = ("Ask you", "Rewrite the two lines", "Check the scene", "Play it", "Keep a note")


def tour() -> Script:
    return read_script((ROOT / "demo" / "tour.json").read_bytes())


def confirmed(*steps: str) -> Note:
    return Note("The person confirmed this plan. Carry it out now:\n" + "\n".join(f"- [ ] {step}" for step in steps))


def run_script(notes: list[Note], denied: Collection[str] = ()) -> tuple[list[str], str]:
    """Returns the called tools and the last message; `notes` are the person's reactions to each plan."""
    script, turns, tools = tour(), list[Turn]([UserTurn("evt-1", "Fix it.")]), list[str]()
    is_written = False
    while (turn := script.next_turn(turns)) is not None and "attempt_completion" not in tools:
        turns.append(AssistantTurn(turn.text))
        if not turn.uses and not notes:
            return tools, turn.text
        for use in turn.uses:
            tools.append(use.name)
            text = OUTCOMES.get(use.name, "")
            if use.name == "write_to_file":
                is_written = use.name not in denied and use.arguments["dryRun"] is False
                text = f'{{"applied":{json.dumps(is_written)}}}'
            if use.name == "validate_script":
                text = '{"valid":true,"diagnostics":[]}' if is_written else PROBLEMS
            is_denied = use.name in denied and use.arguments.get("dryRun") is not True
            turns.append(ToolResult("use", "exec", use.name, text, is_denied))
            if use.name == "attempt_completion":
                return tools, str(use.arguments["result"])
        if not turn.uses:
            turns.append(notes.pop(0))
    raise AssertionError(f"the tour has no end: {tools}")


def test_the_written_scene_is_the_example_with_two_lines_fixed() -> None:
    turns = json.loads((ROOT / "demo" / "tour.json").read_text())["turns"]
    (content,) = {
        use["arguments"]["content"] for turn in turns for use in turn.get("uses", ()) if "content" in use["arguments"]
    }
    fixed = SCENE.replace("harbor.png", "harbour.png").replace(
        "playEfect:bell.wav -volume=40", "playEffect:bell.wav -volume={{loudness}}"
    )
    assert content == fixed != SCENE


def test_if_everything_is_allowed_the_tour_uses_every_surface() -> None:
    tools, last = run_script([confirmed(*STEPS)])
    assert {"write_to_file", "preview_scene", "browser_click", "apps_call", "desktop_click"} < set(tools)
    assert "now at loudness 75" in last


def test_a_denied_call_is_not_repeated_and_is_mentioned_at_the_end() -> None:
    tools, last = run_script([confirmed(*STEPS)], denied={"write_to_file", "task_start", "apps_call"})
    assert [tools.count(tool) for tool in ("write_to_file", "task_start", "apps_call")] == [2, 1, 1]
    assert "browser_click" not in tools
    assert "desktop_click" not in tools
    assert last.startswith("**Nothing was changed.**")


def test_a_step_that_the_person_removes_from_the_plan_is_skipped() -> None:
    tools, last = run_script([confirmed(*STEPS[:3])])
    assert not {"task_start", "apps_call", "desktop_observe"} & set(tools)
    assert last.startswith("**The pier is lit")
    tools, last = run_script([confirmed("Rewrite the two lines")])
    assert tools.count("validate_script") == 1
    assert "I have not checked them" in last


def test_a_plan_rejected_twice_ends_without_a_change() -> None:
    tools, last = run_script([Note("The person did not confirm the plan.\nThe person remarks: another one")] * 2)
    assert tools == ["list_project_resources", "read_file", "validate_script"]
    assert last == "Then I'll stop here. Nothing was changed."
    assert "write_to_file" in run_script([Note("The person did not confirm the plan."), confirmed(*STEPS)])[0]
