"""preview_scene and browser_action: contract 3 §2.3, §4.2 and §8, with the real engine in a real Chromium."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from handrail.features.webgal.engines import ENGINE_FOLDER
from tests.wire.cinema import BLUE, GREEN, RED, Cinema, furnish, local_page, png
from tests.wire.clients import Client, Start
from tests.wire.stage import put, put_policy

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def cinemas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cinema]:
    cinema = Cinema(tmp_path_factory.mktemp("cinema"))
    yield cinema
    cinema.close()


@pytest.fixture
def cinema(cinemas: Cinema) -> Cinema:
    cinemas.policy()
    return cinemas


@pytest.fixture(scope="module")
def page() -> Iterator[tuple[str, list[str]]]:
    with local_page() as served:
        yield served


# preview_scene


def test_a_scene_is_shown_by_its_engine_and_its_picture_is_evidence(cinema: Cinema) -> None:
    result = cinema.show("beach_date.txt")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]+/#scene=beach_date", result["url"])
    assert result["logs"][0] == "beach_date.txt is shown at line 2."
    assert "firstErrorLine" not in result
    assert cinema.colour() == GREEN


def test_without_a_path_the_scene_is_shown_that_the_game_starts_with(cinema: Cinema) -> None:
    result = cinema.show()
    assert result["url"].endswith("#scene=start")
    assert cinema.colour() == RED
    assert cinema.client.ok("preview_scene", scenePath="beach_date")["url"].endswith("#scene=beach_date")


def test_any_line_can_be_shown_even_behind_a_choice_with_preset_variables(cinema: Cinema) -> None:
    path = "game/scene/branches.txt"
    assert cinema.client.ok("preview_scene", scenePath=path, line=4)["logs"][0] == "branches.txt is shown at line 4."
    assert cinema.colour() == RED
    result = cinema.client.ok("preview_scene", scenePath=path, line=9, variables={"who": "Bob"})
    assert result["logs"][0] == "branches.txt is shown at line 9."
    assert cinema.colour() == GREEN
    assert cinema.client.ok("preview_scene", scenePath=path, choices=[2])["logs"][0].endswith("at line 8.")
    assert "no line 99" in cinema.client.error("preview_scene", scenePath=path, line=99)["message"]


def test_a_strip_has_a_picture_of_each_line(cinema: Cinema) -> None:
    before = len(list((cinema.project / ".handrail/artifacts/webgal").rglob("picture-*.jp*g")))
    result = cinema.client.ok("preview_scene", scenePath="game/scene/branches.txt", lines=[1, 4, 8])
    assert result["logs"][:3] == [f"branches.txt is shown at line {line}." for line in (1, 4, 8)]
    assert len(list((cinema.project / ".handrail/artifacts/webgal").rglob("picture-*.jp*g"))) == before + 3


def test_a_scene_whose_first_text_is_behind_a_condition_is_shown_as_a_player_sees_it(cinema: Cinema) -> None:
    assert cinema.show("behind.txt")["logs"][0] == "behind.txt is shown at line 7."
    assert cinema.colour() == GREEN


def test_preset_variables_decide_where_a_scene_begins(cinema: Cinema) -> None:
    path = "game/scene/asked.txt"
    for a, line, colour in ((1, 7, GREEN), (0, 3, RED)):
        result = cinema.client.ok("preview_scene", scenePath=path, variables={"a": a})
        assert result["logs"][0] == f"asked.txt is shown at line {line}."
        assert cinema.colour() == colour


def test_a_condition_decides_on_the_way_to_a_line(cinema: Cinema) -> None:
    path = "game/scene/asked.txt"
    result = cinema.client.ok("preview_scene", scenePath=path, line=3, variables={"a": 1})
    assert result["logs"][:2] == [
        "asked.txt is shown at line 3.",
        "a player doesn't come to line 3 here, because a>0 in line 2 is true.",
    ]
    result = cinema.client.ok("preview_scene", scenePath="game/scene/prepared.txt", line=6)
    assert result["logs"][0] == "prepared.txt is shown at line 6."
    assert "player" not in result["logs"][1]


def test_a_line_whose_condition_is_false_is_shown_and_said_to_be_skipped(cinema: Cinema) -> None:
    result = cinema.client.ok("preview_scene", scenePath="game/scene/skipped.txt", line=3)
    assert result["logs"][:2] == [
        "skipped.txt is shown at line 3.",
        "line 3 is skipped here, because 1>2 is false. It is still shown.",
    ]
    assert cinema.colour() == GREEN


def test_a_preset_text_stays_exactly_this_text(cinema: Cinema) -> None:
    variables = {"picture": "a true sea-green"}  # engines read true as a flag, and - as a sign
    path = "game/scene/painted.txt"
    assert "firstErrorLine" not in cinema.client.ok("preview_scene", scenePath=path, variables=variables)
    assert cinema.colour() == GREEN


def test_only_a_file_whose_variable_is_not_set_is_missing_under_its_name_in_the_script(cinema: Cinema) -> None:
    path = "game/scene/painted.txt"
    assert "firstErrorLine" not in cinema.client.ok("preview_scene", scenePath=path, variables={"picture": "red"})
    assert cinema.colour() == RED
    missing = cinema.client.ok("preview_scene", scenePath=path, variables={"picture": "nothing"})["logs"]
    assert missing[1] == "game/background/nothing.png is not there."
    result = cinema.client.ok("preview_scene", scenePath=path)
    assert result["logs"][1] == "line 1: game/background/{picture}.png is not there."


def test_a_scene_that_begins_with_a_call_is_shown_as_a_player_sees_it(cinema: Cinema) -> None:
    assert cinema.show("calls.txt")["logs"][0] == "calls.txt has been run and has led to beach_date.txt, line 2."
    assert cinema.colour() == GREEN
    result = cinema.client.ok("preview_scene", scenePath="game/scene/calls.txt", line=3)
    missing = "the scene called in line 2 isn't run on the way: what it sets and leaves on the stage is missing."
    assert result["logs"][:2] == ["calls.txt is shown at line 3.", missing]
    cinema.show("start.txt")
    assert cinema.show("prepared.txt")["logs"][0] == "prepared.txt is shown at line 6."
    assert cinema.colour() == GREEN


def test_choices_lead_to_what_a_player_sees_after_them(cinema: Cinema) -> None:
    path = "game/scene/menu.txt"
    for choices, line, colour in (([1], 7, RED), ([1, 1, 2], 11, GREEN)):
        result = cinema.client.ok("preview_scene", scenePath=path, choices=choices)
        assert result["logs"][0] == f"menu.txt is shown at line {line}."
        assert cinema.colour() == colour
    result = cinema.client.ok("preview_scene", scenePath=path, choices=[3])
    assert result["logs"][0] == "menu.txt has been run and has led to beach_date.txt, line 2."
    result = cinema.client.ok("preview_scene", scenePath=path, choices=[2])
    assert result["logs"][1] == "option 2 in line 4 can't be chosen here, because love>1 is false."
    error = cinema.client.error("preview_scene", scenePath=path, choices=[1, 4])
    assert (error["code"], error["message"]) == ("E_BAD_ARGS", "The choice in line 4 has 3 options, no option 4.")
    assert "Only 1 of the 2" in cinema.client.error("preview_scene", scenePath=path, choices=[3, 1])["message"]


def test_a_transition_that_a_jump_cuts_short_is_no_error(cinema: Cinema) -> None:
    assert "firstErrorLine" not in cinema.show("changing.txt")
    assert cinema.colour() == GREEN


def test_an_auto_advancing_line_is_shown_without_a_false_error(cinema: Cinema) -> None:
    """Its timer calls a method of the engine without its object, as browsers allow."""
    result = cinema.show("notend.txt")
    assert "firstErrorLine" not in result
    assert not [line for line in result["logs"] if "performList" in line]
    assert cinema.colour() == RED


def test_nothing_of_the_scene_before_is_left_on_the_stage(cinema: Cinema) -> None:
    cinema.show("beach_date.txt")
    assert cinema.colour() == GREEN
    cinema.show("introduced.txt")
    cinema.show("empty.txt")
    assert cinema.colour() == (0, 0, 0)


def test_a_picture_that_can_not_be_decoded_is_reported_with_its_line_each_time(cinema: Cinema) -> None:
    for _ in range(2):  # the engine requests it only once
        result = cinema.show("undecodable.txt")
        assert result["firstErrorLine"] == 2
        assert "line 2: game/background/broken.png can't be shown" in result["logs"][1]
        assert len([line for line in result["logs"] if "broken.png" in line]) == 1


def test_a_cut_picture_a_sound_and_a_video_that_can_not_be_decoded_are_reported_and_leave_nothing(
    cinema: Cinema,
) -> None:
    result = cinema.client.ok("preview_scene", scenePath="game/scene/undecodable_media.txt", lines=[3, 4])
    assert result["logs"][:5] == [
        "undecodable_media.txt is shown at line 3.",
        "line 1: game/background/cut.png can't be shown: the browser can't decode it.",
        "line 3: game/vocal/broken.wav can't be played: the browser can't decode it.",
        "undecodable_media.txt is shown at line 4.",
        "line 4: game/video/broken.mp4 can't be played: the browser can't decode it.",
    ]
    assert "firstErrorLine" not in cinema.show("beach_date.txt")
    assert cinema.colour() == GREEN


@pytest.mark.trial("previews", is_long=True)
def test_a_video_that_an_engine_waits_for_does_not_keep_later_previews_waiting(cinema: Cinema) -> None:
    logs = cinema.show("stuck.txt")["logs"]
    assert logs[1] == "line 1: game/background/broken.webm can't be played: the browser can't decode it."
    cinema.show("fresh.txt")
    assert cinema.colour() == BLUE


def test_a_picture_that_an_effect_lacks_is_reported_with_the_line_of_the_effect(cinema: Cinema) -> None:
    for _ in range(2):  # the engine requests it only once
        logs = cinema.show("snow.txt")["logs"]
        assert logs[1] == "line 3: game/tex/snow.png is not there."
        assert not [line for line in logs if "base texture" in line]


def test_a_line_after_a_loop_is_shown_as_a_player_comes_to_it(cinema: Cinema) -> None:
    result = cinema.client.ok("preview_scene", scenePath="game/scene/circle.txt", line=7)
    assert result["logs"][0] == "circle.txt is shown at line 7."
    assert not [line for line in result["logs"] if "circle" not in line and "line" in line]
    assert cinema.colour() == GREEN


def test_impossible_lines_and_options_are_refused_and_named_by_the_line_of_the_scene_itself(cinema: Cinema) -> None:
    assert cinema.client.code("preview_scene", scenePath="start.txt", line=1, lines=[2]) == "E_BAD_ARGS"
    error = cinema.client.error("preview_scene", scenePath="game/scene/called_before.txt", choices=[3])
    assert error["message"] == "The choice in line 2 has 2 options, no option 3."


def test_unsaved_text_is_shown_in_place_of_the_file(cinema: Cinema) -> None:
    text = "changeBg:green.png -next;\n雪乃:草稿;\n"
    result = cinema.client.ok("preview_scene", scenePath="game/scene/start.txt", content=text)
    assert result["logs"][0] == "start.txt is shown at line 2."
    assert cinema.colour() == GREEN
    assert (cinema.project / "game/scene/start.txt").read_text() != text


def test_unsaved_text_of_a_new_scene_is_shown(cinema: Cinema) -> None:
    text = "changeBg:gone.png -next;\nchangeBg:green.png -next;\n雪乃:草稿;\n"
    result = cinema.client.ok("preview_scene", scenePath="game/scene/new/draft.txt", content=text)
    assert result["logs"][:2] == [
        "new/draft.txt is shown at line 3.",
        "line 1: game/background/gone.png is not there.",
    ]
    assert result["firstErrorLine"] == 1
    assert cinema.colour() == GREEN
    assert not (cinema.project / "game/scene/new").exists()
    assert cinema.client.code("preview_scene", scenePath="game/scene/new/draft.txt") == "E_PREVIEW_FAIL"


def test_names_with_blanks_percent_signs_quotes_and_emoji_are_shown(cinema: Cinema) -> None:
    put(cinema.project, 'game/scene/海 50% "y" 🌊.txt', (cinema.project / "game/scene/odd.txt").read_bytes())
    assert "firstErrorLine" not in cinema.show('海 50% "y" 🌊.txt')
    assert cinema.colour() == BLUE


def test_missing_files_are_reported_with_the_lines_that_use_them(cinema: Cinema) -> None:
    for _ in range(2):  # the second time, the engine uses its cache
        result = cinema.show("wanting.txt")
        assert result["firstErrorLine"] == 2
        assert result["logs"][1:4] == [
            "line 2: game/figure/nobody.png is not there.",
            "line 3: game/vocal/gone.ogg is not there.",
            "line 4: game/background/no.jpg is not there.",
        ]
    assert "firstErrorLine" not in cinema.show("beach_date.txt")


@pytest.mark.trial("previews", is_long=True)
def test_a_file_that_only_the_first_scene_lacks_is_reported_as_that_scenes(cinema: Cinema) -> None:
    put(cinema.project, "second/game/scene/start.txt", "changeBg:gone.png -next;\n雪乃:始;\n")
    put(cinema.project, "second/game/scene/alone.txt", "雪乃:独;\n")
    result = cinema.client.ok("preview_scene", scenePath="second/game/scene/alone.txt")
    assert result["logs"][1] == "start.txt, line 1: second/game/background/gone.png is not there."
    assert "firstErrorLine" not in result


def test_an_exception_is_reported_with_its_line(cinema: Cinema) -> None:
    result = cinema.show("thrown.txt")
    assert result["firstErrorLine"] == 1
    assert re.match(r"line 1: \w*Error: ", result["logs"][1])


def test_nothing_is_fetched_from_elsewhere(cinema: Cinema) -> None:
    result = cinema.show("outside.txt")
    assert result["firstErrorLine"] == 1
    assert result["logs"][1] == "line 1: https://example.com/x.png is not on this machine, so it was not loaded."


@pytest.mark.trial("previews", is_long=True)
def test_scenes_that_jump_on_or_loop_are_reported_and_do_not_block_others(cinema: Cinema) -> None:
    assert cinema.show("leads.txt")["logs"][0] == "leads.txt has been run and has led to beach_date.txt, line 2."
    assert "does not come to line 2" in cinema.show("round.txt")["logs"][0]
    assert cinema.show("start.txt")["logs"][0] == "start.txt is shown at line 2."


@pytest.mark.trial("previews", is_long=True)
def test_a_changed_picture_is_shown_again(cinema: Cinema) -> None:
    cinema.show("repainted.txt")
    assert cinema.colour() == RED
    put(cinema.project, "game/background/repainted.png", png(BLUE))
    cinema.show("repainted.txt")
    assert cinema.colour() == BLUE


def test_only_a_person_with_the_address_can_open_it(cinema: Cinema) -> None:
    url = cinema.show("start.txt")["url"].partition("#")[0]
    with httpx2.Client(trust_env=False) as http:
        assert "handrail-preview.js" in http.get(url).text
        assert http.get(f"{url}game/scene/start.txt").text.startswith("changeBg:red.png")
        assert http.get(url.rpartition("/")[0].rpartition("/")[0] + "/guess/").status_code == 404
        assert http.get(url, headers={"Host": "evil.example"}).status_code == 421
        assert http.get(f"{url}game/background/out.png").status_code == 404


@pytest.mark.trial("previews", is_long=True)
def test_a_game_with_its_own_engine_uses_it_and_its_foreign_frames_are_reported(
    cinema: Cinema,
) -> None:
    own = cinema.project / "own"
    shutil.copytree(ENGINE_FOLDER, own, ignore=shutil.ignore_patterns("*.ttf"))
    page = (own / "index.html").read_text()
    framed = '<iframe src="https://example.com/ad"></iframe><iframe src="http://localhost:1/"></iframe>'
    (own / "index.html").write_text(page.replace("</body>", f"{framed}<!-- our own --></body>"))
    put(cinema.project, "own/game/scene/start.txt", "changeBg:green.png -next;\n雪乃:自己的;\n")
    put(cinema.project, "own/game/background/green.png", png(GREEN))
    result = cinema.client.ok("preview_scene", scenePath="own/game/scene/start.txt")
    assert "<!-- our own -->" in httpx2.get(result["url"].partition("#")[0], trust_env=False).text
    assert "firstErrorLine" not in result
    assert result["logs"][1:3] == [
        "https://example.com/ is not on this machine, so it was not loaded.",
        "http://localhost:1/ is another place on this machine, so it was not loaded.",
    ]
    assert cinema.colour() == GREEN


@pytest.mark.trial("previews", is_long=True)
def test_a_command_that_only_the_games_older_engine_knows_is_not_shown_as_dialogue(cinema: Cinema) -> None:
    put(cinema.project, "old/index.html", '<title>WebGAL</title><script src="./assets/index.js"></script>')
    cases = "".join(
        f'case"{name}":return t.{name};' for name in ("changeBg", "changeScene", "choose", "setVar", "setBgAni")
    )
    put(cinema.project, "old/assets/index.js", f'const a={{version:"WebGAL 4.2.7"}};switch(b){{{cases}}}')
    put(cinema.project, "old/game/scene/start.txt", "changeBg:green.png -next;\nsetBgAni:enter;\n雪乃:旧;\n")
    put(cinema.project, "old/game/background/green.png", png(GREEN))
    logs = cinema.client.ok("preview_scene", scenePath="old/game/scene/start.txt")["logs"]
    assert logs[0] == "start.txt is shown at line 3."
    assert "(4.2.7) is older than 4.5" in logs[1]
    assert logs[2] == "It doesn't know setBgAni, so these lines are left out."
    assert cinema.colour() == GREEN


@pytest.mark.trial("previews", is_long=True)
def test_a_link_that_leads_out_of_the_project_is_not_shown(cinema: Cinema) -> None:
    result = cinema.show("linked.txt")
    assert result["firstErrorLine"] == 1
    assert cinema.colour() != GREEN


def test_an_address_elsewhere_is_against_the_policy(cinema: Cinema) -> None:
    for address in (
        "http://example.com/a.txt",
        "https://localhost@evil.example/a.txt",
        "http://localhost.evil.example/",
    ):
        assert cinema.client.code("preview_scene", scenePath=address) == "E_POLICY_VIOLATION"
    assert cinema.client.code("preview_scene", scenePath="file:///etc/passwd") == "E_UNSUPPORTED"
    assert cinema.client.code("preview_scene", scenePath="http://localhost:3001/games/x/") == "E_BAD_ARGS"


def test_invalid_scenes_are_refused_with_similar_names(cinema: Cinema) -> None:
    error = cinema.client.error("preview_scene", scenePath="game/scene/beach_dte.txt")
    assert error["code"] == "E_PREVIEW_FAIL"
    assert error["hint"] == "Did you mean beach_date.txt?"
    assert cinema.client.code("preview_scene", scenePath="../outside.txt") == "E_DENY_PATH"
    assert cinema.client.code("preview_scene", scenePath="game/config.txt") == "E_PREVIEW_FAIL"
    put(cinema.project, "game/scene/binary.txt", b"\x89PNG\xff\0")
    assert cinema.client.code("preview_scene", scenePath="binary.txt") == "E_PARSE_FAIL"
    (cinema.project / "game/scene/binary.txt").unlink()


def test_a_rule_about_the_scene_decides(cinema: Cinema) -> None:
    cinema.policy([{"effect": "READ", "path": "game/scene/beach_date.txt", "decision": "deny"}])
    assert cinema.client.code("preview_scene", scenePath="beach_date.txt") == "E_POLICY_VIOLATION"


def test_without_a_browser_a_preview_fails_with_the_reason(own_project: Path, own_state: Path, start: Start) -> None:
    furnish(own_project)
    lonely = start("stdio", own_project, own_state, environ={"PATH": "/nowhere", "HANDRAIL_TERRE": "off"})
    error = lonely.error("preview_scene")
    assert error["code"] == "E_PREVIEW_FAIL"
    assert "Chromium" in error["message"]
    assert error["hint"] == "Install chromium."


@pytest.mark.trial("previews", is_long=True)
def test_a_terre_that_runs_and_has_the_game_is_preferred(cinema: Cinema) -> None:
    with cinema.terre.running():
        result = cinema.show("wanting.txt")
        assert result["url"] == f"http://127.0.0.1:{cinema.terre.port}/games/project/#scene=wanting"
        assert result["firstErrorLine"] == 2
        assert cinema.colour() == RED
    assert str(cinema.terre.port) not in cinema.show("beach_date.txt")["url"]


def test_a_terre_that_is_asked_for_and_does_not_run_or_lacks_the_game_is_a_failure(
    own_project: Path, own_state: Path, start: Start, cinema: Cinema
) -> None:
    environ = {"HANDRAIL_TERRE": "required", "HANDRAIL_TERRE_PORT": str(cinema.terre.port)}
    wanting = start("stdio", own_project, own_state, environ=environ)
    error = wanting.error("preview_scene")
    assert error["code"] == "E_PREVIEW_FAIL"
    assert "Terre" in error["message"]
    with cinema.terre.running():
        assert wanting.code("preview_scene") == "E_PREVIEW_FAIL"


# browser_action


def test_outside_developer_mode_the_browser_is_disabled(client: Client, project: Path) -> None:
    put_policy(project)
    assert client.code("browser_action", action="open", url="http://localhost:1/") == "E_TOOL_DISABLED"
    assert "browser" not in client.ok("get_runtime_info")


def test_in_developer_mode_the_browser_is_reported(cinema: Cinema) -> None:
    info = cinema.client.ok("get_runtime_info")
    assert info["browser"]["allowedHosts"] == ["localhost", "127.0.0.1"]
    assert info["browser"]["screenshotDir"] == ".webgal_agent/screenshots"
    assert "browser_action" in info["tools"]


def test_a_page_is_opened_clicked_and_photographed(cinema: Cinema, page: tuple[str, list[str]]) -> None:
    address, _ = page
    act = cinema.client.ok
    assert act("browser_action", action="open", url=f"{address}/") == {"ok": True}
    act("browser_action", action="screenshot", path="before.png")
    assert cinema.colour() == RED
    assert act("browser_action", action="click", selector="#paint") == {"ok": True}
    act("browser_action", action="screenshot", path=".webgal_agent/screenshots/in/after.png")
    assert cinema.colour() == GREEN
    shots = cinema.project / ".webgal_agent/screenshots"
    assert (shots / "in/after.png").read_bytes() == cinema.picture()
    assert (shots / "before.png").exists()
    act("browser_action", action="click", selector="#next")
    act("browser_action", action="screenshot", path="next.png")
    assert cinema.colour() == BLUE


@pytest.mark.trial("previews", is_long=True)
def test_pages_elsewhere_are_refused_also_after_a_redirect_or_a_click(
    cinema: Cinema, page: tuple[str, list[str]]
) -> None:
    address, requests = page
    for url in ("http://example.com/", "https://localhost@evil.example/", "http://localhost.evil.example/", "data:x"):
        assert cinema.client.code("browser_action", action="open", url=url) == "E_POLICY_VIOLATION"
    assert cinema.client.code("browser_action", action="open", url=f"{address}/there") == "E_POLICY_VIOLATION"
    assert "/there" in requests
    for selector in ("#away", "#there"):
        cinema.client.ok("browser_action", action="open", url=f"{address}/")
        assert cinema.client.code("browser_action", action="click", selector=selector) == "E_POLICY_VIOLATION"


def test_the_policy_narrows_the_hosts(cinema: Cinema, page: tuple[str, list[str]]) -> None:
    cinema.policy(browserAllowedHosts=["127.0.0.1", "example.com"])
    assert cinema.client.code("browser_action", action="open", url=f"{page[0]}/") == "E_POLICY_VIOLATION"
    assert cinema.client.code("browser_action", action="open", url="http://example.com/") == "E_POLICY_VIOLATION"
    cinema.client.ok("browser_action", action="open", url=page[0].replace("localhost", "127.0.0.1") + "/")


def test_pages_that_cannot_be_opened_or_clicked_fail_with_the_reason(
    cinema: Cinema, page: tuple[str, list[str]]
) -> None:
    address, _ = page
    error = cinema.client.error("browser_action", action="open", url="http://localhost:1/")
    assert error["code"] == "E_PREVIEW_FAIL"
    assert cinema.client.code("browser_action", action="screenshot", path="x.png") == "E_PREVIEW_FAIL"
    cinema.client.ok("browser_action", action="open", url=f"{address}/")
    for selector in ("#gone", "#below", "#none", "#hidden", "(("):
        assert cinema.client.code("browser_action", action="click", selector=selector) == "E_PREVIEW_FAIL"


@pytest.mark.parametrize(
    "params",
    [
        {"action": "open"},
        {"action": "click"},
        {"action": "screenshot"},
        {"action": "type", "selector": "#a"},
        {"action": "screenshot", "path": "x.jpg"},
    ],
)
def test_each_action_needs_its_own_parameter(cinema: Cinema, params: dict[str, str]) -> None:
    if params.get("path"):
        with local_page() as (address, _):
            cinema.client.ok("browser_action", action="open", url=f"{address}/")
            assert cinema.client.code("browser_action", **params) == "E_BAD_ARGS"
            assert cinema.client.code("browser_action", action="screenshot", path="../x.png") == "E_DENY_PATH"
    else:
        assert cinema.client.code("browser_action", **params) == "E_BAD_ARGS"
