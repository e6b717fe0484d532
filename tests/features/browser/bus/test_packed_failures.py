"""A failure is the same again after it was stored or sent by another process."""

import pytest

from handrail.ports import errors
from handrail.ports.browser_errors import pack_failure, unpack_failure


@pytest.mark.parametrize(
    "failure",
    [
        errors.Offline("away", hint="Wait.", clientId="p"),
        errors.Gone("too old", artifactId="art-1"),
        errors.Unfinished("late", actionId="act-1"),
        errors.TooLarge("much", maxUploadBytes=1),
        errors.Reported("no", code="SCHEMA_VALIDATION_FAILED", retryable=True, field="x"),
    ],
)
def test_every_error_is_restored_with_its_type(failure: errors.Failure) -> None:
    again = unpack_failure(pack_failure(failure))
    assert type(again) is type(failure)
    assert pack_failure(again) == pack_failure(failure)


def test_errors_stored_by_version_0_1_are_restored_by_their_code() -> None:
    stored = {
        "code": "PLUGIN_OFFLINE",
        "message": "away",
        "retryable": True,
        "hint": None,
        "details": {"clientId": "p"},
    }
    again = unpack_failure(stored)
    assert type(again) is errors.Offline
    assert again.details == {"clientId": "p"}


def test_a_condition_that_is_not_known_keeps_its_code() -> None:
    stored = {"condition": "Later", "code": "X_LATER", "message": "new", "retryable": False}
    again = unpack_failure(stored)
    assert isinstance(again, errors.Reported)
    assert (again.code, again.message) == ("X_LATER", "new")
