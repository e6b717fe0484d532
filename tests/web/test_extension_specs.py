"""Specs of the extension, in a real browser."""

import pytest

from tests.web.npm import of_a_trial, run, specs

IN_SUITE = {"form"}

pytestmark = pytest.mark.timeout(900)


@pytest.mark.parametrize("spec", of_a_trial("extension", specs("extension", ".spec.ts"), IN_SUITE))
def test_a_spec_of_the_extension(web: None, spec: str) -> None:
    run("e2e", "@handrail/extension", f"{spec}.spec.ts")
