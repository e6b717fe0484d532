"""One page that a call is about: which tab of which task, and where it is."""

from dataclasses import dataclass

from handrail.contract.errors import Declined
from handrail.contract.target import Target
from handrail.core.web_address import host_of_page, is_web_page


@dataclass(frozen=True, slots=True)
class Page:
    """`url` is None when the browser has not told it."""

    task: str
    tab_id: int
    url: str | None

    @property
    def target(self) -> Target:
        return Target(host=host_of_page(self.url))

    @property
    def address(self) -> str:
        """Without the fragment, which a page may change at will without becoming another."""
        return (self.url or "").partition("#")[0]

    def check_is_web(self) -> None:
        """Local files and the browser's own pages are no places for an agent."""
        if self.url is not None and not is_web_page(self.url):
            raise Declined(
                f"Tab {self.tab_id} shows no web page.",
                hint="browser_navigate takes it to one.",
                reason="scheme",
                tabId=self.tab_id,
            )
