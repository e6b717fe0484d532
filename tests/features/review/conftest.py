from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.features.review.cages import Rig, new_rig


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    """git trusts the project although it is another user's: the tests may run as root."""
    config = tmp_path / "gitconfig"
    config.write_text("[safe]\n\tdirectory = *\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    with new_rig() as user:
        yield user
