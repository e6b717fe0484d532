import logging

import pytest

from handrail.features.people.routes.unreadable_log import MAX_PER_MINUTE, UnreadableLog


def test_unreadable_requests_are_logged_up_to_a_limit_per_minute(caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    log = UnreadableLog(lambda: now[0])
    with caplog.at_level(logging.WARNING):
        log.note([], nameless=range(1000))
        log.note([], nameless=range(1000))
        assert len(caplog.messages) == MAX_PER_MINUTE + 1
        assert "no more are logged in this minute" in caplog.messages[-1]
        now[0] = 60.0
        log.note([], nameless=[7])
        assert "byte 7" in caplog.messages[-1]
