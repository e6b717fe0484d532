"""Units of the web's packages."""

import pytest

from tests.web.npm import run

pytestmark = pytest.mark.timeout(900)


@pytest.mark.parametrize("package", ["@handrail/console", "@handrail/extension", "handrail-webgal"])
def test_units(web: None, package: str) -> None:
    run("test", package)
