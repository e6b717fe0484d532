"""The chat in a real Chromium: a pasted picture reaches the model, and its thinking stays folded until it is opened."""

import base64
import json
import re
import struct
from pathlib import Path

import pytest

from tests.e2e.console_person import Browser
from tests.e2e.shown_browser import picture
from tests.features.agent.server.conftest import up
from tests.features.agent.server.model_server import Answer, ModelServer
from tests.persons import without_presence

THOUGHTS = "details.thoughts"


@pytest.mark.trial("models", is_long=True)
def test_a_pasted_picture_is_sent_and_thinking_is_shown_folded(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    without_presence(tmp_path / "state")
    (tmp_path / "state/config.toml").write_text('model = "openai-compatible:seeing"\n')
    with ModelServer().running() as models, up(tmp_path / "state", tmp_path / "project", models) as rig:
        models.script("seeing", Answer(("A blue square.",), thoughts=("It is ", "square.")))
        person = browser.person_at(rig, at="chat")
        person.does("pick", ".effort-switch", "high")
        person.does("click", "textarea")
        person.does("pasteImage", base64.b64encode(picture(400, 300)).decode())
        person.does("wait", ".attachments .chip")
        person.does("fillIn", "textarea", "What is this?")
        person.does("key", "Enter")
        person.does("see", "A blue square.", ".transcript")
        assert person.does("size", ".attached img") == [400, 300]
        assert person.does("attribute", THOUGHTS, "open") is None
        assert "It is square." not in person.does("text", ".transcript")
        assert person.does("missingWidth", ".effort-switch") <= 0
        person.does("click", f"{THOUGHTS} summary")
        person.does("see", "It is square.", THOUGHTS)
        person.does("reload")
        person.does("wait", THOUGHTS)
        assert person.does("attribute", THOUGHTS, "open") is None
        assert person.does("audit", [["light", 1280], ["dark", 390]]) == []
        (request,) = models.requests["seeing"]
    assert request["reasoning_effort"] == "high"
    sent = re.search(r'"data:image/png;base64,([^"]+)"', json.dumps(request["messages"]))
    assert sent is not None
    assert struct.unpack(">II", base64.b64decode(sent[1])[16:24]) == (400, 300)  # a browser encodes its clipboard anew
