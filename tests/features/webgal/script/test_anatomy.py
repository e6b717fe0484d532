"""The exact parts of a statement: what is renamed must be what the engine reads."""

import json
from pathlib import Path

import pytest

from handrail.features.webgal.script.anatomy import Role, anatomy
from handrail.features.webgal.script.character_file import names_in, places_of, rename_edits
from handrail.features.webgal.script.scene import SLIPS, check_scene

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))


def parts(text: str) -> list[tuple[str, str]]:
    parsed = anatomy(text)
    assert all(text[part.start : part.end] == part.text for part in parsed)
    return [(part.role.value, part.text) for part in parsed]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("雪乃 :你好{day} -v1.wav -left;", "speaker=雪乃 read=day file=v1.wav argument=left"),
        (
            "changeBg:a b.png -enter=shake -when=day>1&&name==Tom;note",
            "command=changeBg file=a b.png argument=enter animation=shake argument=when read=day read=name",
        ),
        (
            "choose:(love>1)[ok]->a {n}:a|b:sub/x.txt|c: d ;",
            "command=choose read=love read=ok read=n jump=a scene=sub/x.txt jump=d",
        ),
        ("setVar:a=b+random(1,2);", "command=setVar set=a read=b"),
        (
            "callScene:x.txt -p=1 -writeReturnTo=r",
            "command=callScene scene=x.txt set=p value=1 argument=writeReturnTo set=r",
        ),
        ("say:hi -speaker=Bob;", "command=say argument=speaker speaker=Bob"),
        ("intro:a|{b};", "command=intro read=b"),
        ("changeFigure:{x}.png -id=y;", "command=changeFigure read=x argument=id value=y"),
        ("changeBg:none;", "command=changeBg"),
        ("changeBg:https://x.org/a.png;", "command=changeBg"),
        ("end;", "command=end"),
        ("A\\;B:x;", "speaker=A\\;B"),
        ("; jumpLabel:x", ""),
        ("end -next;", "argument=next"),
        (":旁白{x};", "read=x"),
    ],
)
def test_every_part_is_returned_with_its_position(text: str, expected: str) -> None:
    assert " ".join(f"{role}={words}" for role, words in parts(text)) == expected


@pytest.mark.parametrize("line", sorted({line for each in VECTORS["lines"] for line in each["input"].split("\n")}))
def test_all_that_the_checks_look_up_has_a_place(line: str) -> None:
    scene = check_scene(line)
    if any(finding.code in SLIPS for finding in scene.findings):
        return  # looked up as it was meant, which is not what the engine reads
    values = ("figure", "target")  # to an editor these are plain values
    expected = {("value" if each.kind in values else each.kind, each.name) for each in scene.references}
    roles = {"jump": "label", "read": "variable"}
    pairs = {(roles.get(role, role), text) for role, text in parts(line)}
    assert {(what, name) for what, name in expected if what != "dynamic"} <= pairs


def test_an_option_with_the_name_of_its_target_is_distinguished_from_it() -> None:
    matches = [part for part in anatomy("choose:a:a|b:a;") if part.role is Role.JUMP]
    assert [part.start for part in matches] == [9, 13]


def test_characters_are_found_in_every_shape_of_their_file() -> None:
    for text in ('["x", {"name": "A", "note": "A"}]', '{"characters": [{"name":"A"}]}', '{"A": {"age": 1}}'):
        assert [text[start:end] for start, end in places_of(text, "A")] == ["A"]
    assert places_of('{"A": 1', "A") == []
    assert places_of('[{"name": "A"}]', "B") == []


def test_renaming_a_character_changes_nothing_else() -> None:
    text = '[{"name": "A", "likes": "A"}, {"name": "B"}]'
    edits = rename_edits(text, "A", 'C"')
    assert edits is not None
    ((start, end, replacement),) = edits
    assert names_in(text[:start] + replacement + text[end:]) == {'C"', "B"}


def test_ambiguous_renames_are_refused() -> None:
    assert rename_edits('{"A": {"A": 1}, "B": {}}', "A", "C") is None
    assert rename_edits('{"A": 1', "A", "C") is None
