"""The view is readable when narrow, without colours, in Chinese, and with help."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from handrail.features.people.cli.screen.texts import CHINESE, ENGLISH, Texts, texts_for
from handrail.features.people.cli.screen.theme import DARK, LIGHT, PLAIN, theme_of
from handrail.ports.prompt_queue import OWN_ORIGIN, PromptQueue
from tests.features.people.screen.screen_user import using_screen

CHANGE = {"kind": "file_change_confirm", "title": "Write a.txt", "diff": "@@ -1 +1 @@\n-a\n+b\n"}


@pytest.mark.trial("terminal views", is_long=True)
@pytest.mark.parametrize("size", [(40, 24), (80, 24), (160, 50)])
async def test_list_and_page_and_keys_have_room(queue: PromptQueue, log: Path, size: tuple[int, int]) -> None:
    await queue.request(CHANGE, request_id="approval_1", origin=OWN_ORIGIN)
    async with using_screen(queue, log, size=size) as user:
        lines = user.screen.split("\n")
        assert len(lines) == size[1]
        assert all(cell_len(line) == size[0] for line in lines)
        for text in ("1 waiting", "● Write a.txt", "1 - a", "1 + b", "y allow once", "n deny", "q quit"):
            await user.until_shown(text)


async def test_help_lists_every_key_and_can_be_closed(queue: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id="approval_1", origin=OWN_ORIGIN)
    async with using_screen(queue, log, size=(80, 40)) as user:
        await user.press("question_mark")
        for key, meaning in ENGLISH.help:
            await user.until_shown(key)
            await user.until_shown(meaning[:20])
        await user.press("y", "escape")
        assert user.responses == {}
        assert user.shown == "approval_1"


async def test_it_speaks_chinese(queue: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id="approval_1", origin=OWN_ORIGIN)
    async with using_screen(queue, log, texts=CHINESE) as user:
        for text in ("1 条待处理", "审批", "允许一次", "拒绝", "变更"):
            await user.until_shown(text)


async def test_a_key_switches_between_light_and_dark(queue: PromptQueue, log: Path) -> None:
    async with using_screen(queue, log) as user:
        assert user.app.theme == DARK.name
        await user.press("d")
        assert user.app.theme == LIGHT.name


async def test_q_quits_and_ctrl_c_does_everywhere(queue: PromptQueue, log: Path) -> None:
    await queue.request({"kind": "kv", "fields": [{"key": "a"}]}, request_id="f")
    async with using_screen(queue, log) as user:
        await user.press("q")
    assert user.app.return_value is None
    async with using_screen(queue, log) as user:
        await user.press("enter", "ctrl+c")
    assert user.app.return_value == 130


def test_the_language_is_the_persons() -> None:
    assert texts_for({"HANDRAIL_LANG": "zh", "LANG": "en_US.UTF-8"}) is CHINESE
    assert texts_for({"LANG": "zh_CN.UTF-8"}) is CHINESE
    assert texts_for({"HANDRAIL_LANG": "en", "LANG": "zh_CN.UTF-8"}) is ENGLISH
    assert texts_for({}) is ENGLISH


def test_both_languages_name_the_same_things() -> None:
    for name in ("kinds", "keys", "problems", "outcomes", "replies", "scopes", "priorities", "statuses"):
        assert getattr(ENGLISH, name).keys() == getattr(CHINESE, name).keys()
    assert [key for key, _ in ENGLISH.help] == [key for key, _ in CHINESE.help]
    assert not [name for name in Texts.__slots__ if getattr(ENGLISH, name) == getattr(CHINESE, name)]


def test_the_colours_are_those_the_terminal_can_show() -> None:
    assert theme_of({}, "truecolor") is DARK
    assert theme_of({"COLORFGBG": "0;15"}, "256") is LIGHT
    assert theme_of({"COLORFGBG": "15;0"}, "256") is DARK
    assert theme_of({}, "standard") is PLAIN
    assert theme_of({"NO_COLOR": "1"}, "truecolor") is PLAIN
