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
