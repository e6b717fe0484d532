"""One server, one browser and one agent for all pages."""

from collections.abc import Iterator

import pytest

from tests.browser_place import FREE, Place
from tests.small_pages.player import Player
from tests.small_pages.site import served
from tests.wire.browsing import Agent
from tests.wire.clients import Streamable


@pytest.fixture(scope="module")
def player(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Player]:
    with served() as site:
        place = Place(tmp_path_factory.mktemp("miniwob"), "")
        place.rules(FREE)
        yield Player(Agent(Streamable(place.up)), site)
        place.close()
