"""Setting an element's value: a check mark, a text, an option, a number."""

import pytest

from handrail.ports.errors import InvalidParams
from tests.desktop_apps import texts
from tests.features.desktop.conformance.workbench import Workbench


async def test_a_box_is_ticked_only_where_it_is_not(bench: Workbench) -> None:
    box = await bench.one(texts.AGREE, "AXCheckBox")
    for expected in (True, True, False, False):
        delivery = await bench.desktop.set_value(bench.window, box, expected)
        assert delivery.is_verified
        assert ("checked" in (await bench.one(texts.AGREE, "AXCheckBox")).states) is expected


async def test_setting_a_field_replaces_its_text(bench: Workbench) -> None:
    for text in ("one", "世界"):
        await bench.desktop.set_value(bench.window, await bench.one(texts.NAME), text)
        await bench.wait_for_value(texts.NAME, text)


async def test_an_option_is_selected_by_its_title(bench: Workbench) -> None:
    for colour in (*texts.COLOURS, texts.COLOURS[0]):
        [box] = [one.element for one in await bench.find(role="AXComboBox")]
        await bench.desktop.set_value(bench.window, box, colour)
        await bench.wait_for(texts.CHOSEN.format(colour))


async def test_an_option_that_is_missing_and_a_number_for_a_button_are_refused(bench: Workbench) -> None:
    with pytest.raises(InvalidParams):
        await bench.desktop.set_value(bench.window, await bench.one(texts.COUNT, "AXButton"), 3.0)
    with pytest.raises(InvalidParams):
        await bench.desktop.set_value(bench.window, await bench.one(texts.COUNT, "AXButton"), True)
