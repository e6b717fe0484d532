"""The language of checks and prompts for agents: `HANDRAIL_LANG`, the locale, or the default."""

import string
from pathlib import Path

import pytest

from handrail.features.webgal.prompt_texts import texts_in
from handrail.ports.language import preferred_language
from tests.wire.clients import run
from tests.wire.stage import put


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"HANDRAIL_LANG": "en"}, "en"),
        ({"HANDRAIL_LANG": "EN", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"HANDRAIL_LANG": "zh", "LC_ALL": "en_US.UTF-8"}, "zh"),
        ({"LC_ALL": "zh_TW.UTF-8", "LANG": "en_US.UTF-8"}, "zh"),
        ({"LC_MESSAGES": "en_GB.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"HANDRAIL_LANG": "", "LANG": "C.UTF-8"}, None),
        ({"LANG": "fr_FR.UTF-8"}, None),
        ({}, None),
    ],
)
def test_the_wish_comes_first_then_the_locale(environ: dict[str, str], expected: str | None) -> None:
    assert preferred_language(environ) == expected


def test_both_languages_say_the_same_with_the_same_values() -> None:
    chinese, english = texts_in("zh"), texts_in("en")
    assert chinese.keys() == english.keys()
    for name in chinese.keys() - {"writing"}:
        fields = [{field for _, field, _, _ in string.Formatter().parse(words[name])} for words in (chinese, english)]
        assert fields[0] - {None} == fields[1] - {None}, name
        assert english[name].isascii() or set(english[name]) <= {*map(chr, range(128)), "…"}, name


@pytest.mark.parametrize(
    ("environ", "message"),
    [({"LANG": "C.UTF-8"}, "未知"), ({"LANG": "en_US.UTF-8"}, "known"), ({"HANDRAIL_LANG": "EN"}, "known")],
)
def test_checks_are_chinese_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], message: str
) -> None:
    put(tmp_path, "game/scene/start.txt", "unknownCmd: test;\n")
    for name in ("HANDRAIL_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    where = ("--project", str(tmp_path), "--state", str(tmp_path / "state"))
    result = run("call", "validate_script", '{"path": "game/scene/start.txt"}', *where)
    assert message in result.stdout
