"""Addresses of pages: what is accepted, as what, and which host a rule sees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.kernel.host_name import canonical_host, host_matcher, is_loopback
from handrail.kernel.target import ANY_PLACE
from handrail.kernel.web_address import (
    Place,
    host_of_page,
    host_rule_matcher,
    is_elsewhere,
    is_web_page,
    parse_address,
    parse_place,
    place_matcher,
    place_of_page,
)
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
        ("http://h:65535/", "http://h:65535/", "h"),
        ("http://h:0/", "http://h:0/", "h"),
        ("http://h/" + "a" * 8183, "http://h/" + "a" * 8183, "h"),
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


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("http://h/" + "a" * 8184, "is longer than 8192 characters"),
        ("http://h/a\\b", "contains a space, a backslash or an invisible character"),
        ("ftp://h/", "must begin with http:// or https://, or be about:blank"),
        ("http://u@h/", "must not hold a user name or password"),
        ("http://127.1/", "names no host, or not in its plain spelling"),
        ("http://h:65536/", "names no host, or not in its plain spelling"),
    ],
)
def test_a_refused_address_names_the_field_and_the_reason(given: str, message: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        parse_address(given, "start")
    assert str(refused.value) == f"`start` {message}."
    assert refused.value.details["fieldErrors"] == [{"field": "start", "message": message}]


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
        ("file://a.com/x", ANY_PLACE),
        ("ftp://a.com:80/", ANY_PLACE),
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


@pytest.mark.parametrize("pattern", ["http://a.com", "a.com:80", "a.com/x", "u@a.com"])
def test_a_pattern_that_no_host_could_match_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidParams, match=f"'{pattern}' must stand alone, without scheme, port or path"):
        host_matcher(pattern)


def test_an_international_pattern_with_wildcards_in_a_label_is_refused() -> None:
    with pytest.raises(InvalidParams, match=r"'bü\*\.de' can't be read: write its xn-- form"):
        host_matcher("bü*.de")


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


@pytest.mark.parametrize(
    ("place", "parsed"),
    [
        ("https://[2001:db8::1]", Place("https", "2001:db8::1", 443)),
        ("https://[2001:db8::1]:8443", Place("https", "2001:db8::1", 8443)),
        ("http://a.com", Place("http", "a.com", 80)),
    ],
)
def test_a_place_is_read_back(place: str, parsed: Place) -> None:
    assert parse_place(place) == parsed
    assert str(parsed) == place


@pytest.mark.parametrize(
    ("place", "is_there"),
    [
        ("https://a.com", True),
        ("http://a.com:8080", True),
        ("https://[2001:db8::1]", True),
        ("https://[2001:db8::1]:8443", True),
        ("https://localhost.a.com", True),
        ("http://localhost:80", False),
        ("http://app.localhost:5173", False),
        ("http://127.0.0.1:5173", False),
        ("http://[::1]:5173", False),
        (ANY_PLACE, False),
        ("org.gimp.GIMP", False),
    ],
)
def test_a_place_is_on_another_machine_if_its_host_is_not_this_one(place: str, is_there: bool) -> None:
    assert is_elsewhere(place) is is_there


@pytest.mark.parametrize(
    ("url", "is_page"),
    [
        ("about:blank", True),
        ("HTTPS://a.com", True),
        ("http://a.com", True),
        ("ftp://a.com", False),
        ("about:x", False),
    ],
)
def test_only_a_blank_page_and_what_http_serves_are_web_pages(url: str, is_page: bool) -> None:
    assert is_web_page(url) is is_page


@pytest.mark.parametrize(
    ("place", "is_usual"),
    [
        ("https://example.com", True),
        ("https://example.com:8443", False),
        ("https://www.example.com", False),
    ],
)
def test_a_rule_about_a_host_that_allows_covers_the_usual_port_alone(place: str, is_usual: bool) -> None:
    assert host_rule_matcher("example.com", is_for_every_port=False)(place) is is_usual


def test_on_this_machine_every_port_is_usual() -> None:
    assert host_rule_matcher("localhost", is_for_every_port=False)("http://localhost:5173")


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("B\u00dcCHER.de.", "xn--bcher-kva.de"),
        ("b\u00fccher.de\u3002", "xn--bcher-kva.de"),
        ("\uff45\uff58ample.com", "example.com"),
        ("[::1]", "::1"),
        ("X::1", None),
        ("\u00fc\u200b..de", None),
        (".".join(["a" * 49] * 5) + ".abc", ".".join(["a" * 49] * 5) + ".abc"),
        (".".join(["a" * 49] * 5) + ".abcd", None),
    ],
)
def test_a_host_has_one_canonical_spelling_or_none(name: str, host: str | None) -> None:
    assert canonical_host(name) == host


@pytest.mark.parametrize(
    ("host", "is_here"),
    [
        ("localhost", True),
        ("app.localhost", True),
        ("127.9.9.9", True),
        ("0.0.0.0", True),
        ("::1", True),
        ("notlocalhost", False),
        ("localhost.a.com", False),
        ("10.0.0.1", False),
    ],
)
def test_browsers_reach_this_machine_under_these_hosts(host: str, is_here: bool) -> None:
    assert is_loopback(host) is is_here
