"""Two servers of one team, shared by a worker's tests; whatever a test adds has a unique name."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.features.team.servers import Team
from tests.team_engines import S3, Nats, Postgres, nats, postgres, s3

__all__ = ["nats", "postgres", "s3"]


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres, nats: Nats, s3: S3) -> Iterator[Team]:
    """A team with two servers, for tests that change nothing except what they add."""
    team = Team(tmp_path_factory.mktemp("team"), postgres, nats, s3)
    team.start(2)
    yield team
    team.stop()


@pytest.fixture
def team(tmp_path: Path, postgres: Postgres, nats: Nats, s3: S3) -> Iterator[Team]:
    """A team of the test's own, without servers."""
    own = Team(tmp_path, postgres, nats, s3)
    yield own
    own.stop()
