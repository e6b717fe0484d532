"""What a browser is told to stop is what the rules deny, as far as an expression can say it."""

import re

import pytest

from handrail.kernel.policy import compose_policy
from handrail.kernel.policy_document import PolicyDocument
from handrail.kernel.web_address import (
    host_expression,
    host_rule_matcher,
    names_of_place,
    place_expression,
    place_matcher,
    place_of_page,
)
from handrail.ports.effect import Effect
from handrail.ports.policy import Rule

PAGES = [
    "http://bank.example/", "https://bank.example/x", "https://bank.example:8443/", "https://a.bank.example/",
    "https://bank.example.evil.test/", "https://evilbank.example/", "http://localhost/", "http://localhost:5173/a",
    "https://localhost:5173/", "http://127.0.0.1:80/", "https://other.test/?https://bank.example/",
]  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    "host", ["bank.example", "*.bank.example", "BANK.example.", "localhost", "b?nk.*", "127.0.0.1"]
)
def test_a_host(host: str, page: str) -> None:
    expression = host_expression(host)
    assert expression is not None
    is_denied = map(host_rule_matcher(host, is_for_every_port=True), names_of_place(place_of_page(page) or ""))
    assert (re.match(expression, page) is not None) == any(is_denied)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    "place",
    [
        "https://bank.example",
        "*://bank.example:*",
        "https://bank.example:8443",
        "http://localhost",
        "http://localhost:5173",
    ],
)
def test_a_place(place: str, page: str) -> None:
    expression = place_expression(place)
    assert expression is not None
    # Browsers leave out the scheme's own port.
    shown = page.replace(":80/", "/") if page.startswith("http:") else page
    is_denied = map(place_matcher(place), names_of_place(place_of_page(page) or ""))
    assert (re.match(expression, shown) is not None) == any(is_denied)


@pytest.mark.parametrize("host", ["[::1]", "::1", "127.0.0.1", "LOCALHOST."])
def test_each_name_of_this_machine_stands_for_all_of_them(host: str) -> None:
    assert host_expression(host) == host_expression("localhost")


@pytest.mark.parametrize("place", ["http://[::1]", "http://127.0.0.1", "HTTP://LocalHost", "http://localhost:*"])
def test_a_place_of_this_machine_without_a_port_is_on_every_port(place: str) -> None:
    assert place_expression(place) == place_expression("http://localhost")
    assert re.match(str(place_expression(place)), "http://localhost:5173/")


def test_a_place_at_its_usual_port_is_the_one_that_browsers_show_without_it() -> None:
    assert place_expression("https://bank.example:443") == place_expression("https://bank.example")
    assert re.match(str(place_expression("http://bank.example:443")), "http://bank.example:443/")


@pytest.mark.parametrize("host", ["{a,b}.example", "[ab].example", "b\u00fccher.example", "!a"])
def test_a_pattern_that_an_expression_cannot_say_has_none(host: str) -> None:
    assert host_expression(host) is None
    assert place_expression(f"http://{host}") is None


@pytest.mark.parametrize("place", ["bank.example", "ftp://bank.example", ""])
def test_what_is_no_place_has_no_expression(place: str) -> None:
    assert place_expression(place) is None


def test_only_addresses_denied_to_this_call_are_listed() -> None:
    rules = [
        Rule(tool="*", host="bank.example", decision="deny"),
        Rule(tool="browser_click", host="shop.example", decision="deny"),
        Rule(tool="*", host="ask.example", decision="ask"),
        Rule(tool="read_file", path="secret/**", decision="deny"),
    ]
    policy = compose_policy(PolicyDocument(), is_trusted=True, user_rules=rules)
    bank, shop = host_expression("bank.example"), host_expression("shop.example")
    assert policy.denied_pages("browser_page", Effect.READ) == [bank]
    assert policy.denied_pages("browser_click", Effect.UI_CONTROL) == [bank, shop]
