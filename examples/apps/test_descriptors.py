"""Every example's descriptor passes the review without problems or advice."""

import importlib
import json

import pytest

from handrail.features.apps.descriptors.review import review


@pytest.mark.parametrize("name", ["notes", "calendar", "mail", "notifications", "media"])
def test_the_descriptor_passes_every_check(name: str) -> None:
    app = importlib.import_module(f"{name}_app").app
    result = review(json.dumps(app.describe()).encode(), f"{name}/aai.json", folder=f"com.example.{name}")
    assert (result.problems, result.advice) == ([], [])
