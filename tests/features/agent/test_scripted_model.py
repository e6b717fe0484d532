"""The scripted model: which turn comes next, and which values it contains."""

import json
from pathlib import Path
from typing import Any

import pytest

from handrail.features.agent.models.scripted import Script, ScriptedModel, read_script
from handrail.ports.errors import Damaged, NotFound
from handrail.ports.model import AssistantTurn, Note, ToolResult, ToolUse, Turn, UserTurn

WISH = UserTurn("evt-1", "Mend it.")


def script(turns: list[Any], **values: dict[str, str]) -> Script:
    return read_script(json.dumps({"turns": turns, "values": values}).encode())


def returned(tool: str, text: str, *, is_error: bool = False) -> ToolResult:
    return ToolResult("use_0", "exec_0", tool, text, is_error)


def said(script: Script, *turns: Turn) -> str | None:
    turn = script.next_turn(turns)
    return None if turn is None else turn.text


def test_every_reply_is_the_next_turn_and_at_the_end_there_is_none() -> None:
    text = script([{"text": "one"}, {"text": "two"}])
    assert said(text, WISH) == "one"
    assert said(text, WISH, AssistantTurn("one")) == "two"
    assert said(text, WISH, AssistantTurn("one"), AssistantTurn("two")) is None


def test_tool_results_are_filled_in_wherever_they_are_referenced() -> None:
    use = {"name": "click", "arguments": {"to": {"ids": ["{{button}}", 7]}, "why": "{{button}}!"}}
    text = script(
        [{"text": "Look."}, {"text": "{{button}}", "uses": [use]}], button={"of": "index", "find": r"(\d+) Go"}
    )
    turn = text.next_turn([WISH, AssistantTurn("Look."), returned("index", "3 Stop\n12 Go")])
    assert turn is not None
    assert turn.text == "12"
    assert turn.uses[0].arguments == {"to": {"ids": ["12", 7]}, "why": "12!"}


def test_the_newest_match_is_used_and_errors_are_skipped() -> None:
    text = script([{"text": "{{n}}"}], n={"of": "index", "find": r"\d+"})
    assert said(text, returned("index", "1"), returned("index", "2"), returned("index", "3", is_error=True)) == "2"
    assert said(text, returned("index", "4", is_error=True)) is None


def test_a_turn_that_lacks_a_value_is_passed_over_unless_there_is_another_in_its_place() -> None:
    turns = [{"text": "Press {{n}}."}, {"text": "There is none."}]
    assert said(script(turns, n={"of": "index", "find": r"\d+"}), returned("index", "-")) == "There is none."
    with_other = script(turns, n={"of": "index", "find": r"\d+", "otherwise": "0"})
    assert said(with_other, returned("index", "-")) == "Press 0."


def test_a_script_branches_on_whether_a_value_was_found() -> None:
    turns = [{"text": "Go on.", "needs": ["yes"]}, {"text": "Leave it.", "unless": ["yes"]}, {"text": "End."}]
    text = script(turns, yes={"of": "note", "find": "confirmed"})
    assert said(text, Note("The person confirmed this plan.")) == "Go on."
    assert said(text, Note("No.")) == "Leave it."
    assert said(text, Note("The person confirmed it."), AssistantTurn("Go on.")) == "End."


def test_a_reply_keeps_its_meaning_after_later_turns() -> None:
    """What is found later changes nothing about the way that was taken: a run that was cut off goes on in it."""
    turns = [{"text": "Before.", "unless": ["word"]}, {"text": "After.", "needs": ["word"]}, {"text": "End."}]
    text = script(turns, word={"of": "person", "find": "word"})
    assert said(text, WISH, AssistantTurn("Before."), UserTurn("evt-2", "a word")) == "After."
    assert said(text, WISH, AssistantTurn("Before."), UserTurn("evt-2", "a word"), AssistantTurn("After.")) == "End."


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("no JSON", "malformed"),
        ('{"turns": [{"texts": "one"}]}', "texts"),
        ('{"turns": [{"text": "{{nobody}}"}]}', "turn 1 uses unknown values: nobody"),
        ('{"turns": [{"needs": ["nobody"]}]}', "turn 1 uses unknown values: nobody"),
        ('{"turns": [], "values": {"n": {"of": "x", "find": "("}}}', "a pattern"),
    ],
)
def test_an_invalid_script_is_refused_with_the_reason(tmp_path: Path, content: str, why: str) -> None:
    file = tmp_path / "script.json"
    file.write_text(content)
    with pytest.raises(Damaged, match=why):
        ScriptedModel(file)


async def test_a_model_streams_its_turn_and_then_gives_it_whole(tmp_path: Path) -> None:
    file = tmp_path / "script.json"
    use = {"name": "read_file", "arguments": {"path": "a.txt"}}
    file.write_text(json.dumps({"turns": [{"text": "I look at it now.", "uses": [use]}]}))
    *pieces, reply = [piece async for piece in ScriptedModel(file).stream("", [WISH], [])]
    assert "".join(piece.text for piece in pieces) == "I look at it now."  # type: ignore[union-attr]
    assert reply.replied.uses == (ToolUse("use_0_0", "read_file", '{"path":"a.txt"}'),)  # type: ignore[union-attr]
    with pytest.raises(NotFound):
        ScriptedModel(tmp_path / "none.json")
