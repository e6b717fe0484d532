"""Keys and their combinations."""

import asyncio

import pytest

from handrail.features.desktop.desktop_port import KeyCombination
from handrail.ports.errors import Conflict, InvalidParams
from tests.desktop_apps import Toolkit, texts
from tests.features.desktop.conformance.workbench import Workbench, window_of
from tests.waiting import eventually


def keys(*names: str) -> list[KeyCombination]:
    """Parses combinations such as `shift+c`."""
    return [KeyCombination(tuple(parts[:-1]), parts[-1]) for parts in (name.split("+") for name in names)]


@pytest.fixture
async def field(bench: Workbench) -> Workbench:
    await bench.empty(texts.NAME)
    await bench.focus(texts.NAME)
    return bench


@pytest.mark.parametrize(
    ("pressed", "text"),
    [
        (["a", "shift+b", "1", "space", ".", "/", "-"], "aB1 ./-"),
        (["a", "b", "left", "c", "home", "d", "end", "e"], "dacbe"),
        (["a", "b", "c", "backspace", "left", "left", "delete"], "b"),
        (["a", "b", "cmd+a", "c"], "c"),
        (["a", "b", "ctrl+a", "ctrl+x", "ctrl+v", "ctrl+v"], "abab"),
        (["a", "b", "shift+home", "c"], "c"),
        (["a", "@", "!", "€", "世"], "a@!€世"),
    ],
)
async def test_keys_have_the_same_effect_as_on_a_keyboard(field: Workbench, pressed: list[str], text: str) -> None:
    await field.desktop.send_keys(field.window, keys(*pressed), delay_ms=10)
    await field.wait_for_value(texts.NAME, text)
    assert not field.ground.has_pressed_keys()


async def test_tab_goes_on_to_the_next_element(field: Workbench) -> None:
    await field.desktop.send_keys(field.window, keys("tab"), delay_ms=0)

    async def has_moved() -> bool:
        return "focused" in (await field.one(texts.NOTES)).states

    await eventually(has_moved, "the focus to move on")


async def test_escape_closes_a_dialog(bench: Workbench) -> None:
    await bench.press(texts.OPEN_DIALOG)
    dialog = await window_of(bench.desktop, bench.app, texts.DIALOG)
    await eventually(lambda: bench.desktop.bring_to_front(dialog), "the dialog in front")
    await bench.desktop.send_keys(dialog, keys("esc"), delay_ms=0)

    async def is_gone() -> bool:
        return dialog.handle not in [one.handle for one in await bench.desktop.windows()]

    await eventually(is_gone, "the dialog to go")


async def test_keys_end_where_another_window_takes_them(field: Workbench, toolkit: Toolkit) -> None:
    other = await window_of(field.desktop, field.ground.app("gtk3" if toolkit != "gtk3" else "qt6"))
    await field.focus(texts.NAME)
    sending = asyncio.create_task(field.desktop.send_keys(field.window, keys("a") * 500, delay_ms=20))

    async def has_begun() -> bool:
        return len(await field.value(texts.NAME)) > 2

    await eventually(has_begun, "the first keys")
    await eventually(lambda: field.desktop.bring_to_front(other), "the other window in front")
    with pytest.raises(Conflict):
        await sending
    assert not field.ground.has_pressed_keys()
    assert len(await field.value(texts.NAME)) < 500


@pytest.mark.parametrize("name", ["nosuchkey", "", "ab", "f99"])
async def test_a_key_that_does_not_exist_is_refused_before_any_is_pressed(field: Workbench, name: str) -> None:
    with pytest.raises(InvalidParams):
        await field.desktop.send_keys(field.window, [*keys("a"), KeyCombination((), name)], delay_ms=0)
    await field.desktop.send_keys(field.window, keys("z"), delay_ms=0)
    await field.wait_for_value(texts.NAME, "z")
