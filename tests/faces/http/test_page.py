import re
from html import escape

from handrail import __version__
from handrail.faces.http.page import render
from handrail.kernel.registry import Registry
from handrail.wiring import Wiring
from tests.faces.http.fixture_tools import surface
from tests.faces.http.running import Running

ADDRESS = "http://127.0.0.1:6006"


def test_the_page_shows_that_it_runs_and_what_it_can_do(server: Running) -> None:
    answer = server.request("GET", "/", headers={})
    text = answer.body.decode()
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert __version__ in text
    assert f"http://127.0.0.1:{server.port}/mcp" in text
    assert 'id="tool-echo"' in text
    assert "handrail" in text


def test_the_page_never_contains_the_token(server: Running) -> None:
    for headers in ({}, server.bearer):
        assert server.token.encode() not in server.request("GET", "/", headers=headers).body


def test_the_page_takes_nothing_from_elsewhere_and_runs_nothing(server: Running) -> None:
    text = server.request("GET", "/", headers={}).body.decode()
    links = re.findall(r'(?:src|href|action)="([^"]*)"', text)
    assert sorted(links) == [
        "/static/handrail.css",
        "/static/handrail.svg",
        "/static/handrail.svg",
        "/static/tokens.css",
    ]
    for link in links:
        assert server.request("GET", link, headers={}).status == 200
    assert not re.search(r"<script|<style|\sstyle=|\son\w+=|javascript:", text)


CHIPS = {
    "READ": "read",
    "WRITE": "write",
    "UI_CONTROL": "ui",
    "EXECUTE": "exec",
    "PROCESS_CONTROL": "process",
    "ASK": "ask",
}


def test_every_tool_is_there_with_its_effect_description_and_parameters() -> None:
    registry = Wiring().describe()
    text = render(registry, ADDRESS)
    for entry in registry:
        card = text.partition(f'id="tool-{entry.tool.name}"')[2].partition("</article>")[0]
        assert escape(entry.tool.title) in card
        effect = CHIPS[entry.tool.strongest_effect.value]
        assert f'<span class="chip {effect}">{effect}</span>' in card
        for parameter in entry.tool.input_schema["properties"]:
            assert f'<span class="mono">{parameter}</span>' in card


def test_text_is_escaped_and_invisible_characters_are_shown() -> None:
    text = render(Registry([surface()]), ADDRESS + "/\u202egame")
    assert "Echo &lt;b&gt;" in text
    assert "Says what it was told, &amp; by &lt;whom&gt;." in text
    assert "<b>" not in text
    assert "\u202e" not in text
    assert "\\u{202e}game" in text


def test_the_page_explains_how_to_connect() -> None:
    text = render(Wiring().describe(), ADDRESS)
    assert "&quot;mcp&quot;" in text
    assert "http://127.0.0.1:6006/mcp" in text
    assert "Bearer &lt;token&gt;" in text
    assert "handrail agents add" in text


def test_health_identifies_the_server_and_reveals_nothing_about_the_project(server: Running) -> None:
    answer = server.request("GET", "/health", headers={})
    expected = {"name": "handrail", "version": __version__, "pid": server.process.pid}
    assert answer.json == {"ok": True, "data": expected}
