"""Specs of the console, in a real browser."""

import pytest

from tests.web.npm import run, specs

pytestmark = pytest.mark.timeout(900)


@pytest.mark.parametrize("spec", specs("console", ".spec.mjs"))
def test_a_spec_of_the_console(web: None, spec: str) -> None:
    run("e2e", "@handrail/console", spec)
