"""Addresses of pages: what is accepted, as what, and which host a rule sees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.kernel.host_name import host_matcher
from handrail.kernel.target import ANY_PLACE
from handrail.kernel.web_address import host_of_page, parse_address, parse_place, place_matcher, place_of_page
from handrail.ports.errors import InvalidParams


@pytest.mark.parametrize(
    ("given", "url", "host"),
    [
        ("about:blank", "about:blank", None),
        ("HTTPS://Example.COM", "https://example.com/", "example.com"),
        ("http://example.com.?q", "http://example.com/?q", "example.com"),
        ("http://example.com:/", "http://example.com/", "example.com"),
        ("http://127.0.0.1:8000/a", "http://127.0.0.1:8000/a", "127.0.0.1"),
        ("http://[0:0::1]/", "http://[0:0::1]/", "::1"),
        ("http://[::ffff:127.0.0.1]/", "http://[::ffff:127.0.0.1]/", "127.0.0.1"),
        ("http://faß.de/", "http://xn--fa-hia.de/", "xn--fa-hia.de"),
        ("http://localhost.evil.com/", "http://localhost.evil.com/", "localhost.evil.com"),
    ],
)
def test_an_address_is_read_as_a_browser_reads_it(given: str, url: str, host: str | None) -> None:
    address = parse_address(given)
    assert (address.url, address.host) == (url, host)


@pytest.mark.parametrize(
    "given",
    [
        "", "x", "http:", "http://", "http:///a", "https:example.com", "http://a b/", "http://a\tb/", "http://a\u00a0b/",
        "http://a\u200bb.com/", "http://u@h/", "http://u:p@h/", "http://h\\.evil/", "http://h/\r\n", "http://a..b/",
        "http://-a/", "http://a:99999/", "http://a:b/", "http://0x7f000001/", "http://0177.0.0.1/", "http://127.1/",
        "http://1.2.3.4.5/", "http://%65vil/", "http://[::1/", "http://[fe80::1%25eth0]/", "ftp://h/", "ws://h/",
        "javascript:1", "data:,x", "file:///etc/passwd", "about:config", "view-source:http://h/", "blob:http://h/1",
        "http://" + "a" * 64 + ".com/", "http://h/" + "a" * 9000,
    ],
)  # fmt: skip
def test_what_could_be_read_otherwise_is_refused(given: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        parse_address(given)
    assert refused.value.details["fieldErrors"][0]["field"] == "url"


@pytest.mark.trial("own pages")
@given(st.text(max_size=40))
def test_no_text_at_all_breaks_the_reader(text: str) -> None:
    try:
        address = parse_address(f"http://{text}")
    except InvalidParams:
        return
    assert parse_address(address.url) == address


@pytest.mark.parametrize(
    ("url", "host"),
    [
        (None, ANY_PLACE),
        ("about:blank", None),
        ("chrome://newtab/", None),
        ("https://a.com/x", "a.com"),
        ("blob:https://a.com/1", "a.com"),
        ("http://u:p@a.com/", "a.com"),
        ("file:///etc/passwd", ANY_PLACE),
        ("data:text/html,x", ANY_PLACE),
        ("http://[broken/", ANY_PLACE),
    ],
)
def test_the_host_of_a_page_is_known_unknown_or_none(url: str | None, host: str | None) -> None:
    assert host_of_page(url) == host


@pytest.mark.parametrize(
    ("pattern", "host", "is_matched"),
    [
        ("example.com", "example.com", True),
        ("example.com", "www.example.com", False),
        ("example.com", "notexample.com", False),
        ("*.example.com", "a.b.example.com", True),
        ("*.example.com", "example.com", False),
        ("Example.COM.", "example.com", True),
        ("*.bücher.de", "www.xn--bcher-kva.de", True),
        ("[::1]", "::1", True),
        ("0:0::1", "::1", True),
        ("{a,b}.com", "b.com", True),
        ("*", "anything", True),
    ],
)
def test_a_host_is_matched_whole(pattern: str, host: str, is_matched: bool) -> None:
    assert host_matcher(pattern)(host) is is_matched


@pytest.mark.parametrize("pattern", ["http://a.com", "a.com:80", "a.com/x", "u@a.com", "bü*.de"])
def test_a_pattern_that_no_host_could_match_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidParams):
        host_matcher(pattern)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        (None, ANY_PLACE),
        ("about:blank", None),
        ("https://A.com/x", "https://a.com"),
        ("https://a.com:443/x", "https://a.com"),
        ("http://a.com:443/x", "http://a.com:443"),
        ("http://127.0.0.1:6145/x?y#z", "http://127.0.0.1:6145"),
        ("http://localhost/", "http://localhost:80"),
        ("http://[::1]:6145/", "http://[::1]:6145"),
        ("http://[::ffff:127.0.0.1]/", "http://127.0.0.1:80"),
        ("blob:http://localhost:5173/1", "http://localhost:5173"),
        ("view-source:http://127.0.0.1:6145/", "http://127.0.0.1:6145"),
        ("http://a.com/?view-source:http://b.com", "http://a.com"),
        ("http://a.com:99999/", ANY_PLACE),
    ],
)
def test_the_place_of_a_page_is_scheme_host_and_port(url: str | None, place: str | None) -> None:
    assert place_of_page(url) == place
    if place:
        assert str(parse_place(place)) == place
        assert place_matcher(place)(place)


@pytest.mark.parametrize(
    ("pattern", "place", "is_matched"),
    [
        ("http://localhost:5173", "http://localhost:5173", True),
        ("http://localhost:5173", "http://localhost:5174", False),
        ("http://localhost:5173", "https://localhost:5173", False),
        ("http://localhost:5173/", "http://localhost:5173", True),
        ("HTTP://LocalHost:5173", "http://localhost:5173", True),
        ("http://localhost", "http://localhost:5173", True),
        ("https://example.com", "https://example.com:8443", False),
        ("*://*.example.com:*", "https://a.example.com:8443", True),
        ("*://*.example.com:*", "https://example.com", False),
        ("http://[::1]:80", "http://[::1]:80", True),
        ("http://[0:0::1]:81", "http://[::1]:81", True),
    ],
)
def test_a_place_is_matched_literally_unless_it_has_a_star(pattern: str, place: str, is_matched: bool) -> None:
    assert place_matcher(pattern)(place) is is_matched


@pytest.mark.parametrize(
    "pattern", ["localhost:5173", "http://a.com/x", "http://u@a.com", "ftp://a.com", "http://a.com:99999", ""]
)
def test_a_pattern_that_is_no_place_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidParams):
        place_matcher(pattern)
