"""Problems of a page, one line each: exceptions, console errors, refused requests."""

import re
from typing import Any

from handrail.features.browser.offers import PageProblem
from handrail.kernel.web_address import host_of_page

_URL = re.compile(r"'(https?://[^']+)'")
_THIS_MACHINE = ("localhost", "127.0.0.1")


def refused_address(url: str) -> PageProblem:
    where = "another place on this machine" if host_of_page(url) in _THIS_MACHINE else "not on this machine"
    return PageProblem(f"{url} is {where}, so it was not loaded.", url=url)


def blocked_by_policy(text: str) -> PageProblem | None:
    """A request that the page's own content security policy blocked; None for other messages."""
    match = _URL.search(text)
    return refused_address(match[1]) if match is not None and "Content Security Policy" in text else None


def exception_problem(details: dict[str, Any]) -> PageProblem:
    thrown = details.get("exception", {})
    message = thrown.get("description") or str(thrown.get("value", "")) or details.get("text", "")
    return PageProblem(str(message).partition("\n")[0], is_exception=True)


def printed_problem(arguments: list[dict[str, Any]]) -> PageProblem:
    return PageProblem(" ".join(str(each.get("value", each.get("description", ""))) for each in arguments))
