"""Specs of the extension, in a real browser."""

import pytest

from tests.web.npm import run, specs

LEFT_TO_CAMPAIGN = {"sleep", "ui", "widgets"}
"""By the extension's `vitest.config.ts`, too; `tests/campaign/test_web.py` has them."""

pytestmark = pytest.mark.timeout(900)


@pytest.mark.parametrize("spec", [spec for spec in specs("extension", ".spec.ts") if spec not in LEFT_TO_CAMPAIGN])
def test_a_spec_of_the_extension(web: None, spec: str) -> None:
    run("e2e", "@handrail/extension", f"{spec}.spec.ts")
