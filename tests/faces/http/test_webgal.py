"""`/api/webgal`: only for people, serves files in isolation, and binds fixes to what was shown."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.faces.http.running import Running

START = "game/scene/start.txt"
SCENE = "changeBg:beech.jpg -next;\n雪乃:你好\nend;\n"
SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
ODD = 'game/bgm/100% "a" #1 😀.mp3'


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("game")
    project = folder / "project"
    for path, content in ((START, SCENE), ("game/background/a.svg", SVG), (ODD, "0123456789"), ("secret.png", "x")):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(content)
    flags = ["--project", str(project), "--state", str(folder / "state"), "--port", "0", "--no-open"]
    with Running(folder / "state", project, command=["handrail", "up", *flags]) as rig:
        yield rig


@pytest.fixture(scope="module")
def person(rig: Running) -> dict[str, str]:
    return rig.sign_in()


@pytest.fixture(autouse=True)
def scene(rig: Running) -> Path:
    scene = rig.project / START
    scene.write_text(SCENE)
    return scene


def mend(rig: Running, person: dict[str, str], **args: Any) -> Any:
    return rig.request("POST", "/api/webgal/mend", headers=person, json=args)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "stamp"),
        ("GET", "game"),
        ("GET", "scene?path=game/scene/start.txt"),
        ("GET", "graph"),
        ("GET", "resources"),
        ("GET", "file?path=game/background/a.svg"),
        ("POST", "mend"),
        ("POST", "preview"),
        ("DELETE", "preview/x"),
    ],
)
def test_programs_with_only_the_token_see_nothing_of_it(rig: Running, method: str, path: str) -> None:
    refused = rig.request(method, f"/api/webgal/{path}", **({"json": {}} if method == "POST" else {}))
    assert (refused.status, refused.code) == (403, "FORBIDDEN")


def test_an_svg_is_a_picture_that_runs_nothing(rig: Running, person: dict[str, str]) -> None:
    response = rig.request("GET", "/api/webgal/file?path=game/background/a.svg&v=1", headers=person)
    assert (response.status, response.headers["content-type"]) == (200, "image/svg+xml")
    policy = response.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "script" not in policy
    assert response.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("expected", "status", "part", "message"),
    [
        ("bytes=2-4", 206, b"234", "bytes 2-4/10"),
        ("bytes=7-", 206, b"789", "bytes 7-9/10"),
        ("bytes=-3", 206, b"789", "bytes 7-9/10"),
        ("bytes=0-99", 206, b"0123456789", "bytes 0-9/10"),
        ("bytes=10-", 416, b"", "bytes */10"),
        ("bytes=-", 200, b"0123456789", None),
        ("bytes=1-2,4-5", 200, b"0123456789", None),
    ],
)
def test_a_player_gets_the_part_of_a_sound_that_it_asks_for(
    rig: Running, person: dict[str, str], expected: str, status: int, part: bytes, message: str | None
) -> None:
    path = "/api/webgal/file?path=game/bgm/100%25%20%22a%22%20%231%20%F0%9F%98%80.mp3"
    answer = rig.request("GET", path, headers={**person, "range": expected})
    assert (answer.status, answer.body, answer.headers.get("content-range")) == (status, part, message)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("file?path=secret.png", "NOT_FOUND"),
        ("file?path=game/scene/start.txt", "NOT_FOUND"),
        ("file?path=game/background/gone.png", "NOT_FOUND"),
        ("file?path=../project/secret.png", "FORBIDDEN"),
        ("file", "BAD_REQUEST"),
        ("scene?path=secret.png", "NOT_FOUND"),
    ],
)
def test_nothing_else_of_the_project_is_handed_out(rig: Running, person: dict[str, str], path: str, code: str) -> None:
    assert rig.request("GET", f"/api/webgal/{path}", headers=person).code == code


def test_a_fix_is_shown_then_written_and_can_be_undone(rig: Running, person: dict[str, str], scene: Path) -> None:
    data = mend(rig, person, path=START, line=2, code="WG101", start=5).json["data"]
    assert "+雪乃:你好;" in data["diff"]
    assert scene.read_text() == SCENE
    bound = {key: data[key] for key in ("baseHash", "afterHash")}
    body = mend(rig, person, path=START, line=2, code="WG101", start=5, **bound).json["data"]
    assert scene.read_text() == SCENE.replace("你好", "你好;")
    rig.request("POST", "/api/undo", headers=person, json={"id": body["snapshotId"]})
    assert scene.read_text() == SCENE


def test_a_file_that_changed_after_it_was_shown_is_not_written(
    rig: Running, person: dict[str, str], scene: Path
) -> None:
    data = mend(rig, person, path=START).json["data"]
    scene.write_text(SCENE + "by hand")
    refused = mend(rig, person, path=START, baseHash=data["baseHash"], afterHash=data["afterHash"])
    assert (refused.status, refused.code) == (409, "CONFLICT")
    assert scene.read_text() == SCENE + "by hand"


@pytest.mark.parametrize("value", [{}, {"path": START, "code": "WG101"}, {"path": START, "x": 1}, {"path": 1}])
def test_a_wish_that_makes_no_sense_is_refused(rig: Running, person: dict[str, str], value: Any) -> None:
    assert mend(rig, person, **value).code == "BAD_REQUEST"


def test_a_preview_keeps_its_address_from_line_to_line_and_loses_it_when_it_is_left(
    rig: Running, person: dict[str, str]
) -> None:
    def show(**args: Any) -> Any:
        return rig.request("POST", "/api/webgal/preview", headers=person, json={"path": START, **args})

    frame = show().json["data"]
    assert httpx2.get(frame["address"]).status_code == 200
    assert show(line=2, screen=frame["screen"]).json["data"] == frame
    assert rig.request("DELETE", f"/api/webgal/preview/{frame['screen']}", headers=person).status == 200
    assert httpx2.get(frame["address"]).status_code == 404
    assert show(path="game/scene/gone.txt").status >= 400
    assert show(line="2").code == "BAD_REQUEST"
