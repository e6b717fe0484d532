from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.features.review.cages import House, new_house


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """git trusts the project although it is another user's: the tests may run as root."""
    config = tmp_path / "gitconfig"
    config.write_text("[safe]\n\tdirectory = *\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    with new_house() as made:
        yield made
