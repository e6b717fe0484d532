"""Typing any kind of text into elements."""

import pytest

from handrail.features.desktop.desktop_port import KeyCombination
from tests.desktop_apps import texts
from tests.features.desktop.conformance.workbench import Workbench
from tests.waiting import eventually

SCRIPTS = "Grüße, 世界! — 👩🏽‍🚀 𝒳 שלום ひらがな ñ'\"\\`~ $(x) %s"
LONG = 1_000_000


@pytest.mark.parametrize("text", ["x", SCRIPTS, "  spaces  ", "<b>&amp;</b>"])
async def test_any_text_arrives_as_it_is(bench: Workbench, text: str) -> None:
    delivery = await bench.desktop.type_text(bench.window, await bench.one(texts.NAME), text, clear_before=True)
    await bench.wait_for_value(texts.NAME, text)
    assert delivery.is_verified is not False


async def test_lines_arrive_as_lines(bench: Workbench) -> None:
    text = "one\ntwo\tthree\n\n世界"
    await bench.desktop.type_text(bench.window, await bench.one(texts.NOTES), text, clear_before=True)
    await bench.wait_for_value(texts.NOTES, text)


async def test_text_is_added_unless_the_field_is_to_be_cleared(bench: Workbench) -> None:
    field = await bench.one(texts.NAME)
    await bench.desktop.type_text(bench.window, field, "one", clear_before=True)
    await bench.wait_for_value(texts.NAME, "one")
    await bench.desktop.type_text(bench.window, field, " two", clear_before=False)
    await bench.wait_for_value(texts.NAME, "one two")
    await bench.desktop.type_text(bench.window, field, "three", clear_before=True)
    await bench.wait_for_value(texts.NAME, "three")
    await bench.desktop.type_text(bench.window, field, "", clear_before=True)
    await bench.wait_for_value(texts.NAME, "")


@pytest.mark.trial("toolkits", is_long=True)
async def test_a_megabyte_arrives(bench: Workbench) -> None:
    line = "0123456789 世界\n"
    text = line * (LONG // len(line.encode()))
    delivery = await bench.desktop.type_text(bench.window, await bench.one(texts.NOTES), text, clear_before=True)
    assert delivery.is_verified is not False

    async def has_arrived() -> bool:
        return (await bench.value(texts.NOTES)).startswith(line * 100)

    await eventually(has_arrived, "the long text")
    await bench.empty(texts.NOTES)


async def test_without_an_element_the_text_goes_where_the_focus_is(bench: Workbench) -> None:
    await bench.empty(texts.NAME, texts.NOTES)
    await bench.focus(texts.NAME)
    await bench.desktop.type_text(bench.window, None, "here", clear_before=False)
    await bench.wait_for_value(texts.NAME, "here")
    await bench.desktop.type_text(None, None, " too", clear_before=False)
    await bench.wait_for_value(texts.NAME, "here too")
    assert await bench.value(texts.NOTES) == ""


async def test_the_clipboard_is_as_it_was_before(bench: Workbench) -> None:
    await bench.empty(texts.NOTES)
    name = await bench.one(texts.NAME)
    await bench.desktop.type_text(bench.window, name, "kept 世界", clear_before=True)
    await bench.wait_for_value(texts.NAME, "kept 世界")
    await bench.focus(texts.NAME)
    await bench.desktop.send_keys(
        bench.window, [KeyCombination(("cmd",), "a"), KeyCombination(("cmd",), "c")], delay_ms=20
    )
    await bench.desktop.type_text(bench.window, await bench.one(texts.NOTES), "something else", clear_before=True)
    await bench.wait_for_value(texts.NOTES, "something else")

    await bench.empty(texts.NAME)
    await bench.focus(texts.NAME)
    await bench.desktop.send_keys(bench.window, [KeyCombination(("cmd",), "v")], delay_ms=0)
    await bench.wait_for_value(texts.NAME, "kept 世界")


async def test_focus_is_where_it_was_asked_for(bench: Workbench) -> None:
    for title in (texts.NAME, texts.NOTES, texts.NAME):
        await bench.focus(title)

        async def is_focused(expected: str = title) -> bool:
            return "focused" in (await bench.one(expected)).states

        await eventually(is_focused, f"focus in {title!r}")
