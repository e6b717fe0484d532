"""The review over HTTP, which only the person in the console can use."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.faces.http.running import Running
from tests.features.review.cages import Cage, Rig


@pytest.fixture
def cage(rig: Rig) -> Cage:
    rig.write({"a.txt": "one\ntwo\nthree\n"})
    rig.commit_all()
    cage = rig.cage()
    cage.run(
        "sed -i s/two/TWO/ a.txt; echo new > 'n\u202ew.txt'; git commit -qam inside; touch \"$(printf 'bad\\377')\""
    )
    return cage


@pytest.fixture
def server(rig: Rig, cage: Cage) -> Iterator[Running]:
    flags = ["--project", str(rig.project), "--state", str(rig.state), "--port", "0", "--no-open"]
    with Running(rig.state, rig.project, command=["handrail", "up", *flags]) as running:
        yield running


def test_a_person_reviews_takes_and_undoes_in_the_console(server: Running, rig: Rig, cage: Cage) -> None:
    console = server.sign_in()
    (entry,) = server.request("GET", "/api/reviews", headers=console).json["data"]["reviews"]
    assert (entry["id"], entry["client"], entry["changes"]) == (cage.id, "claude", 3)
    items = server.request("GET", f"/api/reviews/{cage.id}", headers=console).json["data"]["items"]
    assert [item["path"] for item in items] == ["a.txt", "bad\\xff", "n\u202ew.txt"]
    file = server.request("GET", f"/api/reviews/{cage.id}/file?path=a.txt", headers=console).json["data"]
    assert file["hunks"][0]["new"] == ["TWO"]
    expected = {"items": [{"path": "a.txt", "digest": file["digest"], "hunks": [0]}]}
    result = server.request("POST", f"/api/reviews/{cage.id}/take", headers=console, json=expected)
    assert result.json["data"]["result"]["taken"] == 1
    assert (rig.project / "a.txt").read_text() == "one\nTWO\nthree\n"
    id = {"id": result.json["data"]["executionId"]}
    assert server.request("POST", "/api/undo", headers=console, json=id).status == 200
    assert (rig.project / "a.txt").read_text() == "one\ntwo\nthree\n"
    (commit,) = server.request("POST", f"/api/reviews/{cage.id}/commits", headers=console, json={}).json["data"][
        "commits"
    ]
    assert commit["subject"] == "inside"
    wanted_commit = {"commit": commit["id"]}
    server.request("POST", f"/api/reviews/{cage.id}/take", headers=console, json=wanted_commit)
    assert (rig.project / "a.txt").read_text() == "one\nTWO\nthree\n"
    assert server.request("POST", f"/api/reviews/{cage.id}/discard", headers=console, json={}).status == 200
    assert not cage.folder.path.exists()


def test_no_program_sees_or_takes_anything(server: Running, rig: Rig, cage: Cage) -> None:
    for method, path in (
        ("GET", "/api/reviews"),
        ("GET", f"/api/reviews/{cage.id}"),
        ("GET", f"/api/reviews/{cage.id}/file?path=a.txt"),
        ("POST", f"/api/reviews/{cage.id}/commits"),
        ("POST", f"/api/reviews/{cage.id}/take"),
        ("POST", f"/api/reviews/{cage.id}/discard"),
    ):
        params: dict[str, Any] = {"json": {}} if method == "POST" else {}
        assert server.request(method, path, **params).status == 403, path
    assert (rig.project / "a.txt").read_text() == "one\ntwo\nthree\n"


def test_paths_and_ids_from_outside_lead_nowhere(server: Running, cage: Cage) -> None:
    console = server.sign_in()
    for path in ("../../etc/passwd", "/etc/passwd", ".git/config", "", "nowhere"):
        answer = server.request("GET", f"/api/reviews/{cage.id}/file?path={path}", headers=console)
        assert answer.status in (400, 403, 404), (path, answer)
    for own_id in ("..", "x", "20261117-101500-0a1b2c"):
        assert server.request("GET", f"/api/reviews/{own_id}", headers=console).status in (400, 404)
