"""Specs of the console, in a real browser."""

import pytest

from tests.web.npm import of_a_trial, run, specs

IN_SUITE = {"kinds"}

pytestmark = pytest.mark.timeout(900)


@pytest.mark.parametrize("spec", of_a_trial("console", specs("console", ".spec.mjs"), IN_SUITE))
def test_a_spec_of_the_console(web: None, spec: str) -> None:
    run("e2e", "@handrail/console", spec)
