"""Pictures of tools for a model: which, how many, and for how long."""

import asyncio
from pathlib import Path

import pytest

from handrail.features.agent.pictures import drop_old_pictures, pictures_in
from handrail.features.agent.recovery import PastCalls, Recovery
from handrail.kernel.audit import Audit
from handrail.kernel.content import Image, Text
from handrail.kernel.evidence import Evidence, utc_now
from handrail.ports.model import AssistantTurn, Picture, ToolResult, ToolUse, Turn, UserTurn
from handrail.stores.local.batches import SqliteBatches
from handrail.stores.local.browser_tables import browser_database
from handrail.stores.local.files.folder import LocalFolder
from handrail.stores.local.journal import JournalFile
from handrail.stores.shared.agent_runs import RunRows

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


def taken(number: int, count: int = 1) -> ToolResult:
    pictures = tuple(Picture("image/png", f"{number}-{index}".encode()) for index in range(count))
    return ToolResult(f"use_{number}", f"exec_{number}", "look", "words", taken=count, pictures=pictures)


@pytest.mark.parametrize("pictures_of_evidence", [{}, {"pictures": ["observe.png"]}])
def test_the_pictures_of_a_call_that_ended_before_a_crash_are_shown_afterwards(
    tmp_path: Path, pictures_of_evidence: dict[str, list[str]]
) -> None:
    """Whatever their names are, if the record says which they are; before that, they were numbered."""
    evidence = Evidence(LocalFolder.open(str(tmp_path)))
    exhibit = evidence.open("desktop", "exec_1", utc_now())
    picture = pictures_of_evidence["pictures"][0] if pictures_of_evidence else "picture-1.png"
    for name, content in ((picture, b"looked"), ("before.png", b"other"), ("result.json", {"ok": True})):
        exhibit.add(name, content)
    end = {"ok": True, "evidence": {"dir": exhibit.path, "sha256": exhibit.hashes, **pictures_of_evidence}}
    use = ToolUse("use_1", "desktop_observe", "{}", "exec_1")
    recovery = Recovery(Audit(JournalFile(tmp_path / "log", tmp_path / "head")), evidence, lambda path: "")
    outcome = recovery.result(use, PastCalls({"exec_1": end}, {}))
    assert outcome is not None
    assert [picture.data for picture in outcome.pictures] == [b"looked"]


def left(turns: list[Turn]) -> list[int]:
    return [len(turn.pictures) for turn in turns if isinstance(turn, ToolResult)]


@pytest.mark.parametrize(
    ("image", "fits"),
    [
        (Image(b"x"), True),
        (Image(PNG + (100).to_bytes(4, "big") * 2), True),
        (Image(PNG + (100).to_bytes(4, "big") + (8_001).to_bytes(4, "big")), False),
        (Image(b"x" * 3_500_001), False),
        (Image(b"<svg/>", "image/svg+xml"), False),
    ],
)
def test_a_picture_of_an_unsupported_type_is_replaced_by_a_note(image: Image, fits: bool) -> None:
    pictures, notes = pictures_in([Text("words"), image])
    assert (len(pictures), bool(notes)) == ((1, False) if fits else (0, True))


def test_only_the_newest_pictures_stay_in_memory_and_on_disk(tmp_path: Path) -> None:
    async def run() -> None:
        batches = SqliteBatches(browser_database(tmp_path))
        runs, turns = RunRows(batches), list[Turn]()
        for number, count in enumerate((1, 2, 1, 1)):
            await runs.add("t", taken(number, count))
            turns.append(taken(number, count))
            drop_old_pictures(turns)
        assert left(turns) == [0, 1, 1, 1]
        assert await runs.turns("t") == turns
        assert [one.turn.taken for one in await runs.page("t", None, 9) if isinstance(one.turn, ToolResult)] == [
            1,
            2,
            1,
            1,
        ]
        await batches.close()

    asyncio.run(run())


def test_the_newest_attached_pictures_are_sent_and_older_ones_become_notes() -> None:
    from handrail.features.agent.models.conversation import conversation  # its library takes a second to load

    large = tuple(Picture("image/png", bytes(3_000_000)) for _ in range(4))
    turns: list[Turn] = [
        UserTurn("a", "old", pictures=large),
        AssistantTurn("Yes."),
        UserTurn("b", "new", pictures=large),
    ]
    old, _, new = conversation("rules", turns)
    assert "no longer shown" in str(old.parts[0])[:1000]
    assert str(new.parts[0]).count("BinaryContent(") + str(new.parts[0]).count("BinaryImage(") == 4
