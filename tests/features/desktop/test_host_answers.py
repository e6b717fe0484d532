"""How the host's client handles answers."""

from typing import Any

import pytest

from handrail.features.desktop.host_client.client import _result
from handrail.ports.errors import Failure, Internal, Timeout

ERROR = {"code": "DESKTOP_TIMEOUT", "message": "late", "retryable": True}


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ({"result": {"clicked": True}, "error": ERROR}, Timeout),
        ({"error": ERROR}, Timeout),
        ({"result": {"clicked": True}, "error": "odd"}, Internal),
        ({"result": 7}, Internal),
        ({}, Internal),
    ],
)
def test_an_answer_with_an_error_is_an_error_even_with_a_result(answer: Any, kind: type[Failure]) -> None:
    with pytest.raises(kind):
        _result(answer)


def test_an_error_that_is_null_is_none() -> None:
    assert _result({"result": {"clicked": True}, "error": None}) == {"clicked": True}
