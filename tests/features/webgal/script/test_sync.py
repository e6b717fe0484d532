"""Any message of an engine is understood or ignored, without an exception."""

import pytest

from handrail.features.webgal.script.sync import Generation, parse_message

NUMBERLESS = '{"kind":"event","type":"stage.snapshot.updated","payload":{"sceneName":"a","sentenceId":1e999}}'


@pytest.mark.parametrize("generation", ["legacy", "v1"])
@pytest.mark.parametrize("text", ["", "[]", "1", "[" * 100_000, '{"event":"handrail-jump","data":1e999}', NUMBERLESS])
def test_malformed_messages_are_ignored(generation: Generation, text: str) -> None:
    assert parse_message(generation, text) is None
