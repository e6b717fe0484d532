"""How a target is named in questions and refusals."""

import pytest

from handrail.kernel.target import Target


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (Target(path="a", place="https://shop.example"), "a"),
        (Target(place="https://shop.example", program=("npm",)), "https://shop.example"),
        (Target(app="org.gimp.GIMP"), "org.gimp.GIMP"),
        (Target(program=("npm", "test")), "npm test"),
        (Target(), "an unknown page"),
    ],
)
def test_a_target_is_named_by_what_says_most(target: Target, text: str) -> None:
    assert str(target) == text
